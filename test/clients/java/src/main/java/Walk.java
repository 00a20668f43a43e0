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
import okhttp3.Response;
import okio.BufferedSource;

/** The steps of a walk in Java: boot, consent, a streamed answer, a translation going live, an export page, errors. */
public class Walk {
  private interface Act {
    String run() throws Exception;
  }

  private interface Call {
    void run() throws ApiException;
  }

  private static final String URL = said("URL");
  private static final String ORIGIN = said("ORIGIN");
  private static final String TENANT = said("TENANT_ID");
  private static final String CONVERSATION = "conv-of-a-walk-" + ProcessHandle.current().pid();

  private BootReply booted;
  private ApiClient visitor;
  private ApiClient member;

  public static void main(String[] args) {
    Walk walk = new Walk();
    step("boot", walk::boot);
    step("consent", walk::consent);
    step("stream", walk::hear);
    step("translation", walk::translate);
    step("export", walk::export);
    step("errors", walk::errors);
    System.exit(0);
  }

  private static String said(String name) {
    return System.getenv("GUIDEPOST_" + name);
  }

  private static ApiClient clientWith(Map<String, String> headers) {
    ApiClient client = new ApiClient().setBasePath(URL).setUserAgent(said("USER_AGENT"));
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

  private static void check(boolean isSo, Object what) {
    if (!isSo) throw new AssertionError(what);
  }

  private String boot() throws ApiException {
    visitor = clientWith(Map.of("Origin", ORIGIN));
    booted = new BootApi(visitor).bootGuide(new BootRequest().appId(said("APP_ID")).origin(ORIGIN).path("/"));
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
            .at(System.currentTimeMillis())
            .decision(VisitorDecision.ACCEPTED);
    ConsentReply reply = new ConsentApi(visitor).recordConsent(body);
    check(reply.getOk() && reply.getRecorded(), reply);
    return "yes";
  }

  /** Reads an answer to its end, and finds out whether its events came one by one. */
  private String hear() throws Exception {
    ChatRequest body =
        new ChatRequest()
            .message("How do I reset my password?")
            .domDigest("main > h1 Account")
            .conversationId(CONVERSATION)
            .turnIdx(0)
            .url(ORIGIN + "/account");
    StringBuilder text = new StringBuilder();
    int length = -1;
    int citations = 0;
    long first = 0;
    long last = 0;
    try (Response response = new ChatApi(visitor).sendMessageCall(body, null, null, null, null).execute()) {
      check(response.code() == 200, response);
      BufferedSource source = response.body().source();
      for (String line = source.readUtf8Line(); line != null; line = source.readUtf8Line()) {
        if (!line.startsWith("data: ")) continue;
        last = System.nanoTime();
        if (first == 0) first = last;
        Object event = ChatEvent.fromJson(line.substring("data: ".length())).getActualInstance();
        if (event instanceof TextDeltaEvent delta) text.append(delta.getDelta());
        if (event instanceof MessageEndEvent end) length = end.getTextLength();
        if (event instanceof CitationEvent citation) {
          check(text.indexOf(citation.getQuote()) >= 0, citation);
          citations++;
        }
      }
    }
    check(citations > 0 && length == text.codePointCount(0, text.length()), text);
    return last - first > 50_000_000 ? "typed, as it comes" : "typed, at its end";
  }

  private String translate() throws ApiException {
    member = clientWith(Map.of("Origin", URL));
    var session =
        new SessionApi(member)
            .signInWithHttpInfo(new SignInRequest().email(said("EMAIL")).password(said("PASSWORD")));
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
                .answer("Choose gift wrapping at the checkout. It costs two euros."));
    Article published =
        articles.publishArticle(
            TENANT, article.getId(), new ArticleBase().baseRevision(article.getRevision()));
    check(published.getStatus() == ArticleStatus.PUBLISHED, published);
    Translation draft =
        translations.createTranslation(
            TENANT,
            article.getId(),
            new NewTranslation()
                .locale("de")
                .title("Geschenkverpackung")
                .answer("Wählen Sie die Geschenkverpackung an der Kasse."));
    Translation submitted =
        translations.submitTranslation(
            TENANT,
            article.getId(),
            draft.getId(),
            new TranslationBase().baseRevision(draft.getRevision()));
    check(submitted.getStatus() == TranslationStatus.IN_REVIEW, submitted);
    Translation approved =
        translations.reviewTranslation(
            TENANT,
            article.getId(),
            draft.getId(),
            new TranslationVerdict()
                .baseRevision(submitted.getRevision())
                .decision(ReviewDecision.APPROVE));
    check(approved.getStatus() == TranslationStatus.APPROVED, approved);
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
    ApiClient exporter = clientWith(Map.of("X-Api-Key", key));
    return new ExportApi(exporter).exportConversations(null, null, null, null, null, 10, null);
  }

  private String export() throws ApiException {
    ExportedConversationPage page = page(said("API_KEY"));
    boolean hasOurs = page.getData().stream().anyMatch(row -> row.getId().equals(CONVERSATION));
    check(hasOurs && !page.getHasMore(), page);
    return "yes";
  }

  private String errors() throws Exception {
    expect(
        404,
        "article/not_found",
        () -> new ArticlesApi(member).readArticle(TENANT, "art_01kakv2fxse7wtg6x5r0h8rjbm"));
    expect(401, "export/unauthorized", () -> page("pk_live_" + "a".repeat(47)));
    return "typed";
  }

  /** The generated exception carries the body as text; the generated type reads it. */
  private static void expect(int status, String code, Call call) throws Exception {
    try {
      call.run();
    } catch (ApiException refusal) {
      ErrorBody body = ErrorBody.fromJson(refusal.getResponseBody());
      check(refusal.getCode() == status && body.getError().equals(code), body);
      return;
    }
    throw new AssertionError("was not refused");
  }
}
