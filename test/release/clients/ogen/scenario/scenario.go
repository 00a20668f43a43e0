// Runs the scenario with ogen: boot, consent, a streamed answer, publishing a translation, an export page, errors.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	neturl "net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ogen-go/ogen/ogenerrors"
	"github.com/ogen-go/ogen/sse"

	guidepost "guidepost.example/generated-clients/ogen/generated"
)

var (
	ctx          = context.Background()
	url          = os.Getenv("GUIDEPOST_URL")
	origin       = os.Getenv("GUIDEPOST_ORIGIN")
	tenant       = os.Getenv("GUIDEPOST_TENANT_ID")
	conversation = fmt.Sprintf("conv-scenario-%d", os.Getpid())
)

// caller has the credentials of one kind of client. It adds the headers that the generated client does not know.
type caller struct {
	origin, token, key string
	jar                http.CookieJar
}

func (c caller) RoundTrip(request *http.Request) (*http.Response, error) {
	if c.origin != "" {
		request.Header.Set("Origin", c.origin)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		c.jar.SetCookies(request.URL, response.Cookies())
	}
	return response, err
}

func (c caller) VisitorToken(context.Context, guidepost.OperationName) (guidepost.VisitorToken, error) {
	return guidepost.VisitorToken{Token: c.token}, nil
}

func (c caller) ApiKeyHeader(context.Context, guidepost.OperationName) (guidepost.ApiKeyHeader, error) {
	return guidepost.ApiKeyHeader{APIKey: c.key}, nil
}

func (c caller) ApiKeyBearer(context.Context, guidepost.OperationName) (guidepost.ApiKeyBearer, error) {
	return guidepost.ApiKeyBearer{}, ogenerrors.ErrSkipClientSecurity
}

func (c caller) SessionCookie(context.Context, guidepost.OperationName) (guidepost.SessionCookie, error) {
	address, err := neturl.Parse(url)
	must(err)
	for _, cookie := range c.jar.Cookies(address) {
		if cookie.Name == "gp_session" {
			return guidepost.SessionCookie{APIKey: cookie.Value}, nil
		}
	}
	return guidepost.SessionCookie{}, ogenerrors.ErrSkipClientSecurity
}

func createClient(c caller) *guidepost.Client {
	jar, err := cookiejar.New(nil)
	must(err)
	c.jar = jar
	client, err := guidepost.NewClient(url, c, guidepost.WithClient(&http.Client{Transport: c}))
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
	var booted guidepost.BootReply
	visitor := createClient(caller{origin: origin})
	step("boot", func() string {
		body := guidepost.BootRequest{AppID: os.Getenv("GUIDEPOST_APP_ID"), Origin: origin, Path: "/"}
		reply, err := visitor.BootGuide(ctx, &body)
		must(err)
		booted = *reply
		check(!booted.Jwt.IsNull(), "no token")
		visitor = createClient(caller{origin: origin, token: booted.Jwt.Value})
		return "yes"
	})
	step("consent", func() string {
		reply, err := visitor.RecordConsent(ctx, &guidepost.ConsentRequest{
			VisitorID:   booted.VisitorID,
			URL:         origin + "/",
			CopyVersion: booted.Config.Consent.Copy.Version,
			At:          float64(time.Now().UnixMilli()),
			Decision:    guidepost.VisitorDecisionInputAccepted,
		})
		must(err)
		check(reply.Ok && reply.Recorded, reply)
		return "yes"
	})
	step("stream", func() string { return readStream(visitor) })
	member := createClient(caller{origin: url})
	step("translation", func() string {
		translate(member)
		return "yes"
	})
	step("export", func() string {
		page, err := readPage(os.Getenv("GUIDEPOST_API_KEY"))
		must(err)
		check(!page.HasMore, "there are more rows")
		for _, row := range page.Data {
			if row.ID == conversation {
				return "yes"
			}
		}
		panic("the conversation is not on the page")
	})
	step("errors", func() string {
		at := guidepost.ReadArticleParams{TenantId: tenant, ArticleId: "art_01kakv2fxse7wtg6x5r0h8rjbm"}
		_, err := member.ReadArticle(ctx, at)
		expectError(err, 404, "article/not_found")
		_, err = readPage("pk_live_" + strings.Repeat("a", 47))
		expectError(err, 401, "export/unauthorized")
		return "typed"
	})
}

func readPage(key string) (*guidepost.ExportedConversationPage, error) {
	exporter := createClient(caller{key: key})
	reply, err := exporter.ExportConversations(ctx, guidepost.ExportConversationsParams{Limit: guidepost.NewOptInt(10)})
	if err != nil {
		return nil, err
	}
	return reply, nil
}

func expectError(err error, status int, code string) {
	var reply *guidepost.ErrorResponseStatusCodeWithHeaders
	check(errors.As(err, &reply), err)
	check(reply.StatusCode == status && strings.HasPrefix(reply.Response.Error, code), reply)
}

// readStream reads an answer to its end and checks whether its events arrive one by one.
func readStream(visitor *guidepost.Client) string {
	reply, err := visitor.SendMessage(ctx, &guidepost.ChatRequest{
		Message:        "How do I reset my password?",
		DomDigest:      "main > h1 Account",
		ConversationID: conversation,
		TurnIdx:        0,
		URL:            origin + "/account",
	}, guidepost.SendMessageParams{})
	must(err)
	stream := reply.Response
	defer stream.Close()
	var text string
	var times []time.Time
	citations := 0
	for {
		event, err := stream.Next(ctx)
		if state, _ := stream.State(); err != nil && state == sse.StateOpen {
			continue // A type that the document does not know.
		}
		must(err)
		times = append(times, time.Now())
		switch event.Data.Type {
		case guidepost.TextDeltaEventChatEvent:
			text += event.Data.TextDeltaEvent.Delta
		case guidepost.CitationEventChatEvent:
			check(strings.Contains(text, event.Data.CitationEvent.Quote), event.Data.CitationEvent.Quote)
			citations++
		case guidepost.MessageEndEventChatEvent:
			length := int(event.Data.MessageEndEvent.TextLength)
			check(citations > 0 && length == utf8.RuneCountInString(text), text)
			if times[len(times)-1].Sub(times[0]) > 50*time.Millisecond {
				return "typed, incremental"
			}
			return "typed, buffered"
		}
	}
}

func translate(member *guidepost.Client) {
	credentials := guidepost.SignInRequest{Email: os.Getenv("GUIDEPOST_EMAIL"), Password: os.Getenv("GUIDEPOST_PASSWORD")}
	session, err := member.SignIn(ctx, &credentials)
	must(err)
	check(len(session.Memberships) == 1, session)
	created, err := member.CreateArticle(ctx, &guidepost.NewArticle{
		Title:  "Gift wrapping",
		Answer: "Choose gift wrapping at the checkout. It costs two euros.",
	}, guidepost.CreateArticleParams{TenantId: tenant})
	must(err)
	article := created.ID
	published, err := member.PublishArticle(ctx, &guidepost.ArticleBase{BaseRevision: created.Revision},
		guidepost.PublishArticleParams{TenantId: tenant, ArticleId: article})
	must(err)
	check(strings.HasPrefix(string(published.Status), "published"), published.Status)
	draft, err := member.CreateTranslation(ctx, &guidepost.NewTranslation{
		Locale: "de",
		Title:  "Geschenkverpackung",
		Answer: "Wählen Sie die Geschenkverpackung an der Kasse.",
	}, guidepost.CreateTranslationParams{TenantId: tenant, ArticleId: article})
	must(err)
	id := draft.ID
	submitted, err := member.SubmitTranslation(ctx, &guidepost.TranslationBase{BaseRevision: draft.Revision},
		guidepost.SubmitTranslationParams{TenantId: tenant, ArticleId: article, TranslationId: id})
	must(err)
	check(strings.HasPrefix(string(submitted.Status), "in_review"), submitted.Status)
	approved, err := member.ReviewTranslation(ctx, &guidepost.TranslationVerdict{
		BaseRevision: submitted.Revision,
		Decision:     guidepost.ReviewDecisionInputApprove,
	}, guidepost.ReviewTranslationParams{TenantId: tenant, ArticleId: article, TranslationId: id})
	must(err)
	check(strings.HasPrefix(string(approved.Status), "approved"), approved.Status)
	live, err := member.PublishTranslation(ctx, &guidepost.TranslationBase{BaseRevision: approved.Revision},
		guidepost.PublishTranslationParams{TenantId: tenant, ArticleId: article, TranslationId: id})
	must(err)
	check(live.Live.Value.Revision == live.Revision, live)
}
