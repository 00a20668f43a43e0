// Boots, asks, and reads the stream and the export with the functions that oapi-codegen generates.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	guidepost "guidepost.example/generated-clients/generated"
)

var origin = os.Getenv("GUIDEPOST_ORIGIN")

func clientWith(name, value string) *guidepost.ClientWithResponses {
	return must(guidepost.NewClientWithResponses(os.Getenv("GUIDEPOST_URL"), guidepost.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Origin", origin)
			request.Header.Set(name, value)
			return nil
		})))
}

func must[T any](value T, err error) T {
	check(err == nil, err)
	return value
}

func check(isExpected bool, found any) {
	if !isExpected {
		log.Fatalf("unexpected: %s", found)
	}
}

func main() {
	ctx, page := context.Background(), origin+"/account"
	booted := must(clientWith("Accept", "application/json").BootGuideWithResponse(ctx, guidepost.BootRequest{
		AppId: os.Getenv("GUIDEPOST_APP_ID"), Origin: origin, Path: "/",
	}))
	check(booted.JSON200 != nil && booted.JSON200.Jwt != nil, booted.Body)

	visitor := clientWith("Authorization", "Bearer "+*booted.JSON200.Jwt)
	decided := must(visitor.RecordConsentWithResponse(ctx, guidepost.ConsentRequest{
		VisitorId: booted.JSON200.VisitorId, Url: page, CopyVersion: booted.JSON200.Config.Consent.Copy.Version,
		At: float64(time.Now().UnixMilli()), Decision: guidepost.VisitorDecisionInputAccepted,
	}))
	check(decided.JSON200 != nil, decided.Body)

	answer := must(visitor.SendMessageWithResponse(ctx, nil, guidepost.ChatRequest{
		Message: "How do I reset my password?", DomDigest: "main > h1 Account",
		ConversationId: "conv-go", TurnIdx: 0, Url: page,
	}))
	check(strings.Contains(string(answer.Body), "event: message_end"), answer.Body)

	program := clientWith("X-Api-Key", os.Getenv("GUIDEPOST_API_KEY"))
	rows := must(program.ExportConversationsWithResponse(ctx, nil))
	check(rows.JSON200 != nil && strings.Contains(string(rows.Body), "conv-go"), rows.Body)

	fmt.Println("the whole stream, `[]byte`")
}
