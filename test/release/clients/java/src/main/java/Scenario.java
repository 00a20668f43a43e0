import com.google.gson.JsonParser;
import guidepost.ApiClient;
import guidepost.ApiException;
import guidepost.api.ArticlesApi;
import guidepost.api.BootApi;
import guidepost.api.ChatApi;
import guidepost.api.ConsentApi;
import guidepost.api.ExportApi;
import guidepost.api.SessionApi;
import guidepost.api.TranslationsApi;
import guidepost.model.*;
import java.util.List;
import java.util.Map;
import java.util.Set;
import okhttp3.Response;
import okio.BufferedSource;

/** Runs the scenario in Java: boot, consent, a streamed answer, publishing a translation, an export page, errors. */
public class Scenario {
  private interface Act {
    String run() throws Exception;
  }

  private interface Call {
    void run() throws ApiException;
  }

  private static final String URL = getEnv("URL");
  private static final String ORIGIN = getEnv("ORIGIN");
  private static final String TENANT = getEnv("TENANT_ID");
  private static final String CONVERSATION = "conv-scenario-" + ProcessHandle.current().pid();

  /** The event types that the scenario reads; others are skipped. */
  private static final Set<String> EVENTS = Set.of("text_delta", "citation", "message_end");

  private BootReply booted;
  private ApiClient visitor;
  private ApiClient member;

  public static void main(String[] args) {
    Scenario scenario = new Scenario();
    step("boot", scenario::boot);
    step("consent", scenario::consent);
    step("stream", scenario::readStream);
    step("translation", scenario::translate);
    step("export", scenario::export);
    step("errors", scenario::errors);
    System.exit(0);
  }

  private static String getEnv(String name) {
    return System.getenv("GUIDEPOST_" + name);
  }

  private static ApiClient createClient(Map<String, String> headers) {
    ApiClient client = new ApiClient().setBasePath(URL);
    headers.forEach(client::addDefaultHeader);
    return client;
  }

  private static void step(String name, Act act) {
    String outcome;
    try {
      outcome = "\"result\":\"" + act.run() + "\"";
    } catch (Exception | AssertionError cause) {
      outcome = "\"failed\":\"" + cause.toString().replaceAll("[^ -~]|[\"\\\\]", " ") + "\"";
    }
    System.out.println("{\"step\":\"" + name + "\"," + outcome + "}");
  }

  private static void check(boolean condition, Object message) {
    if (!condition) throw new AssertionError(message);
  }

  private String boot() throws ApiException {
    visitor = createClient(Map.of("Origin", ORIGIN));
    booted = new BootApi(visitor).bootGuide(new BootRequest().appId(getEnv("APP_ID")).origin(ORIGIN).path("/"));
    check(booted.getJwt() != null, booted);
    visitor.addDefaultHeader("Authorization", "Bearer " + booted.getJwt());
    return "yes";
  }

  private String consent() throws ApiException {
    ConsentRequest body =
        new ConsentRequest()
            .visitorId(booted.getVisitorId())
            .url(ORIGIN + "/")
            .copyVersion(booted.getConfig().getConsent().getCopy().getVersion())
            .at((double) System.currentTimeMillis())
            .decision(VisitorDecisionInput.ACCEPTED);
    ConsentReply reply = new ConsentApi(visitor).recordConsent(body);
    check(reply.getOk() && reply.getRecorded(), reply);
    return "yes";
  }

  /** Reads an answer to its end and checks whether its events arrive one by one. */
  private String readStream() throws Exception {
    ChatRequest body =
        new ChatRequest()
            .message("How do I reset my password?")
            .domDigest("main > h1 Account")
            .conversationId(CONVERSATION)
            .turnIdx(0L)
            .url(ORIGIN + "/account");
    StringBuilder text = new StringBuilder();
    long length = -1;
    int citations = 0;
    long first = 0;
    long last = 0;
    try (Response response = new ChatApi(visitor).sendMessageCall(body, null, null, null, null, null).execute()) {
      check(response.code() == 200, response);
      BufferedSource source = response.body().source();
      for (String line = source.readUtf8Line(); line != null; line = source.readUtf8Line()) {
        if (!line.startsWith("data: ")) continue;
        last = System.nanoTime();
        if (first == 0) first = last;
        String data = line.substring("data: ".length());
        // The union rejects types that the document does not know.
        if (!EVENTS.contains(JsonParser.parseString(data).getAsJsonObject().get("type").getAsString())) continue;
        Object event = ChatEvent.fromJson(data).getActualInstance();
        if (event instanceof TextDeltaEvent delta) text.append(delta.getDelta());
        if (event instanceof MessageEndEvent end) length = end.getTextLength();
        if (event instanceof CitationEvent citation) {
          check(text.indexOf(citation.getQuote()) >= 0, citation);
          citations++;
        }
      }
    }
    check(citations > 0 && length == text.codePointCount(0, text.length()), text);
    return last - first > 50_000_000 ? "typed, incremental" : "typed, buffered";
  }

  private String translate() throws ApiException {
    member = createClient(Map.of("Origin", URL));
    var session =
        new SessionApi(member)
            .signInWithHttpInfo(new SignInRequest().email(getEnv("EMAIL")).password(getEnv("PASSWORD")));
    check(session.getData().getMemberships().size() == 1, session.getData());
    List<String> cookies = session.getHeaders().get("set-cookie");
    member.addDefaultHeader("Cookie", cookies.get(0).split(";")[0]);
    ArticlesApi articles = new ArticlesApi(member);
    TranslationsApi translations = new TranslationsApi(member);
    Article article =
        articles.createArticle(
            TENANT,
            new NewArticle()
                .title("Gift wrapping")
                .answer("Choose gift wrapping at the checkout. It costs two euros."),
            null);
    Article published =
        articles.publishArticle(
            TENANT, article.getId(), new ArticleBase().baseRevision(article.getRevision()));
    check(published.getStatus().toString().startsWith("published"), published);
    Translation draft =
        translations.createTranslation(
            TENANT,
            article.getId(),
            new NewTranslation()
                .locale("de")
                .title("Geschenkverpackung")
                .answer("Wählen Sie die Geschenkverpackung an der Kasse."),
            null);
    Translation submitted =
        translations.submitTranslation(
            TENANT,
            article.getId(),
            draft.getId(),
            new TranslationBase().baseRevision(draft.getRevision()));
    check(submitted.getStatus().toString().startsWith("in_review"), submitted);
    Translation approved =
        translations.reviewTranslation(
            TENANT,
            article.getId(),
            draft.getId(),
            new TranslationVerdict()
                .baseRevision(submitted.getRevision())
                .decision(ReviewDecisionInput.APPROVE));
    check(approved.getStatus().toString().startsWith("approved"), approved);
    Translation live =
        translations.publishTranslation(
            TENANT,
            article.getId(),
            draft.getId(),
            new TranslationBase().baseRevision(approved.getRevision()));
    check(live.getLive() != null && live.getLive().getRevision().equals(live.getRevision()), live);
    return "yes";
  }

  private static ExportedConversationPage page(String key) throws ApiException {
    ApiClient exporter = createClient(Map.of("X-Api-Key", key));
    return new ExportApi(exporter).exportConversations(null, null, null, null, null, 10L, null);
  }

  private String export() throws ApiException {
    ExportedConversationPage page = page(getEnv("API_KEY"));
    boolean hasConversation = page.getData().stream().anyMatch(row -> row.getId().equals(CONVERSATION));
    check(hasConversation && !page.getHasMore(), page);
    return "yes";
  }

  private String errors() throws Exception {
    expectError(
        404,
        "article/not_found",
        () -> new ArticlesApi(member).readArticle(TENANT, "art_01kakv2fxse7wtg6x5r0h8rjbm"));
    expectError(401, "export/unauthorized", () -> page("pk_live_" + "a".repeat(47)));
    return "typed";
  }

  /** The generated exception carries the body as text; the generated type parses it. */
  private static void expectError(int status, String code, Call call) throws Exception {
    try {
      call.run();
    } catch (ApiException exception) {
      ErrorBody body = ErrorBody.fromJson(exception.getResponseBody());
      check(exception.getCode() == status && body.getError().startsWith(code), body);
      return;
    }
    throw new AssertionError("expected an error");
  }
}
