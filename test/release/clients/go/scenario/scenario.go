// Runs the scenario in Go: boot, consent, a streamed answer, publishing a translation, an export page, errors.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oapi-codegen/runtime/types"

	guidepost "guidepost.example/generated-clients/generated"
)

var (
	ctx          = context.Background()
	url          = os.Getenv("GUIDEPOST_URL")
	origin       = os.Getenv("GUIDEPOST_ORIGIN")
	tenant       = os.Getenv("GUIDEPOST_TENANT_ID")
	conversation = fmt.Sprintf("conv-scenario-%d", os.Getpid())
)

// createClient sends these headers with every request.
func createClient(headers map[string]string) *guidepost.ClientWithResponses {
	client, err := guidepost.NewClientWithResponses(url, guidepost.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			for name, value := range headers {
				request.Header.Set(name, value)
			}
			return nil
		}))
	must(err)
	return client
}

func step(name string, act func() string) {
	line := map[string]string{"step": name}
	defer func() {
		if cause := recover(); cause != nil {
			line["failed"] = fmt.Sprint(cause)
		}
		text, _ := json.Marshal(line)
		fmt.Println(string(text))
	}()
	line["result"] = act()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func check(condition bool, message ...any) {
	if !condition {
		panic(fmt.Sprint(message...))
	}
}

func main() {
	var booted *guidepost.BootReply
	visitor := createClient(map[string]string{"Origin": origin})
	step("boot", func() string {
		body := guidepost.BootRequest{AppId: os.Getenv("GUIDEPOST_APP_ID"), Origin: origin, Path: "/"}
		reply, err := visitor.BootGuideWithResponse(ctx, body)
		must(err)
		check(reply.JSON200 != nil && reply.JSON200.Jwt != nil, reply.Status())
		booted = reply.JSON200
		visitor = createClient(map[string]string{"Origin": origin, "Authorization": "Bearer " + *booted.Jwt})
		return "yes"
	})
	step("consent", func() string {
		reply, err := visitor.RecordConsentWithResponse(ctx, guidepost.ConsentRequest{
			VisitorId:   booted.VisitorId,
			Url:         origin + "/",
			CopyVersion: booted.Config.Consent.Copy.Version,
			At:          float64(time.Now().UnixMilli()),
			Decision:    guidepost.VisitorDecisionInputAccepted,
		})
		must(err)
		check(reply.JSON200 != nil && reply.JSON200.Ok && reply.JSON200.Recorded, reply.Status())
		return "yes"
	})
	step("stream", func() string { return readStream(visitor) })
	var member *guidepost.ClientWithResponses
	step("translation", func() string {
		member = signIn()
		translate(member)
		return "yes"
	})
	step("export", func() string {
		limit := 10
		exporter := createClient(map[string]string{"X-Api-Key": os.Getenv("GUIDEPOST_API_KEY")})
		reply, err := exporter.ExportConversationsWithResponse(ctx, &guidepost.ExportConversationsParams{Limit: &limit})
		must(err)
		check(reply.JSON200 != nil && !reply.JSON200.HasMore, reply.Status())
		for _, row := range reply.JSON200.Data {
			if row.Id == conversation {
				return "yes"
			}
		}
		panic("the conversation is not on the page")
	})
	step("errors", func() string {
		missing, err := member.ReadArticleWithResponse(ctx, tenant, "art_01kakv2fxse7wtg6x5r0h8rjbm")
		must(err)
		check(missing.StatusCode() == 404 && missing.JSONDefault != nil && strings.HasPrefix(string(missing.JSONDefault.Error), "article/not_found"), missing.Status())
		unknownKey := createClient(map[string]string{"X-Api-Key": "pk_live_" + strings.Repeat("a", 47)})
		rejected, err := unknownKey.ExportConversationsWithResponse(ctx, &guidepost.ExportConversationsParams{})
		must(err)
		check(rejected.StatusCode() == 401 && rejected.JSONDefault != nil && strings.HasPrefix(string(rejected.JSONDefault.Error), "export/unauthorized"), rejected.Status())
		check(strings.HasPrefix(rejected.JSONDefault.RequestId, "req_"), rejected.JSONDefault.RequestId)
		return "typed"
	})
}

// readStream reads an answer to its end and checks whether its events arrive one by one.
func readStream(visitor *guidepost.ClientWithResponses) string {
	response, err := visitor.SendMessage(ctx, &guidepost.SendMessageParams{}, guidepost.ChatRequest{
		Message:        "How do I reset my password?",
		DomDigest:      "main > h1 Account",
		ConversationId: conversation,
		TurnIdx:        0,
		Url:            origin + "/account",
	})
	must(err)
	defer response.Body.Close()
	check(response.StatusCode == 200, response.Status)
	var text string
	var length int = -1
	var times []time.Time
	citations := 0
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if !isData {
			continue
		}
		times = append(times, time.Now())
		var event guidepost.ChatEvent
		must(json.Unmarshal([]byte(data), &event))
		kind, err := event.ValueByDiscriminator()
		if err != nil {
			continue // A type that the document does not know.
		}
		switch event := kind.(type) {
		case guidepost.TextDeltaEvent:
			text += event.Delta
		case guidepost.CitationEvent:
			check(strings.Contains(text, event.Quote), event.Quote)
			citations++
		case guidepost.MessageEndEvent:
			length = event.TextLength
		}
	}
	must(lines.Err())
	check(citations > 0 && int(length) == utf8.RuneCountInString(text), text)
	if times[len(times)-1].Sub(times[0]) > 50*time.Millisecond {
		return "typed, incremental"
	}
	return "typed, buffered"
}

func signIn() *guidepost.ClientWithResponses {
	body := guidepost.SignInRequest{Email: types.Email(os.Getenv("GUIDEPOST_EMAIL")), Password: os.Getenv("GUIDEPOST_PASSWORD")}
	reply, err := createClient(map[string]string{"Origin": url}).SignInWithResponse(ctx, body)
	must(err)
	check(reply.JSON200 != nil && len(reply.JSON200.Memberships) == 1, reply.Status())
	cookie, _, _ := strings.Cut(reply.HTTPResponse.Header.Get("Set-Cookie"), ";")
	return createClient(map[string]string{"Origin": url, "Cookie": cookie})
}

func translate(member *guidepost.ClientWithResponses) {
	created, err := member.CreateArticleWithResponse(ctx, tenant, nil, guidepost.NewArticle{
		Title:  "Gift wrapping",
		Answer: "Choose gift wrapping at the checkout. It costs two euros.",
	})
	must(err)
	check(created.JSON201 != nil, created.Status())
	article := created.JSON201.Id
	published, err := member.PublishArticleWithResponse(ctx, tenant, article, guidepost.ArticleBase{BaseRevision: created.JSON201.Revision})
	must(err)
	check(published.JSON200 != nil && strings.HasPrefix(string(published.JSON200.Status), "published"), published.Status())
	draft, err := member.CreateTranslationWithResponse(ctx, tenant, article, nil, guidepost.NewTranslation{
		Locale: "de",
		Title:  "Geschenkverpackung",
		Answer: "Wählen Sie die Geschenkverpackung an der Kasse.",
	})
	must(err)
	check(draft.JSON201 != nil, draft.Status())
	id := draft.JSON201.Id
	submitted, err := member.SubmitTranslationWithResponse(ctx, tenant, article, id, guidepost.TranslationBase{BaseRevision: draft.JSON201.Revision})
	must(err)
	check(submitted.JSON200 != nil && strings.HasPrefix(string(submitted.JSON200.Status), "in_review"), submitted.Status())
	approved, err := member.ReviewTranslationWithResponse(ctx, tenant, article, id, guidepost.TranslationVerdict{
		BaseRevision: submitted.JSON200.Revision,
		Decision:     guidepost.ReviewDecisionInputApprove,
	})
	must(err)
	check(approved.JSON200 != nil && strings.HasPrefix(string(approved.JSON200.Status), "approved"), approved.Status())
	live, err := member.PublishTranslationWithResponse(ctx, tenant, article, id, guidepost.TranslationBase{BaseRevision: approved.JSON200.Revision})
	must(err)
	check(live.JSON200 != nil && live.JSON200.Live != nil && live.JSON200.Live.Revision == live.JSON200.Revision, live.Status())
}
