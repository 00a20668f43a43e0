import com.squareup.moshi.JsonClass
import guidepost.apis.*
import guidepost.infrastructure.ClientError
import guidepost.infrastructure.ClientException
import guidepost.infrastructure.Serializer.moshi
import guidepost.models.*
import kotlin.system.exitProcess
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody

/** Runs the scenario in Kotlin: boot, consent, a streamed answer, publishing a translation, an export page, errors. */
private fun getEnv(name: String) = checkNotNull(System.getenv("GUIDEPOST_$name")) { "GUIDEPOST_$name is not set" }

private val url = getEnv("URL")
private val origin = getEnv("ORIGIN")
private val tenant = getEnv("TENANT_ID")
private val conversation = "conv-scenario-${ProcessHandle.current().pid()}"

/** A client that sends these headers with every request. */
private fun createClient(vararg headers: Pair<String, String>): OkHttpClient =
    OkHttpClient.Builder()
        .addInterceptor { chain ->
            val request = chain.request().newBuilder()
            headers.forEach { (name, value) -> request.header(name, value) }
            chain.proceed(request.build())
        }
        .build()

private inline fun <reified T> read(json: String): T = checkNotNull(moshi.adapter(T::class.java).fromJson(json))

private fun step(name: String, act: () -> String) {
    val outcome =
        runCatching { "\"result\":\"${act()}\"" }.getOrElse { cause ->
            "\"failed\":\"${cause.toString().replace(Regex("[^ -~]|[\"\\\\]"), " ")}\""
        }
    println("{\"step\":\"$name\",$outcome}")
}

private lateinit var booted: BootReply
private lateinit var visitor: OkHttpClient
private lateinit var member: OkHttpClient

fun main() {
    step("boot", ::boot)
    step("consent", ::consent)
    step("stream", ::readStream)
    step("translation", ::translate)
    step("export", ::export)
    step("errors", ::errors)
    exitProcess(0)
}

private fun boot(): String {
    val body = BootRequest(appId = getEnv("APP_ID"), origin = origin, path = "/")
    booted = BootApi(url, createClient("Origin" to origin)).bootGuide(body)
    visitor = createClient("Origin" to origin, "Authorization" to "Bearer ${checkNotNull(booted.jwt)}")
    return "yes"
}

private fun consent(): String {
    val body =
        ConsentRequest(
            visitorId = booted.visitorId,
            url = "$origin/",
            copyVersion = booted.config.consent.copy.version,
            at = System.currentTimeMillis().toDouble(),
            decision = VisitorDecisionInput.accepted,
        )
    val reply = ConsentApi(url, visitor).recordConsent(body)
    check(reply.ok && reply.recorded)
    return "yes"
}

/** The discriminator: the generated event types are not members of a union. */
@JsonClass(generateAdapter = false) private data class Tagged(val type: String)

/** Reads an answer to its end and checks whether its events arrive one by one. */
private fun readStream(): String {
    val question =
        ChatRequest(
            message = "How do I reset my password?",
            domDigest = "main > h1 Account",
            conversationId = conversation,
            turnIdx = 0L,
            url = "$origin/account",
        )
    // The generated function reads the whole answer as one event, so send the request that it builds.
    val config = ChatApi(url, visitor).sendMessageRequestConfig(question, null, null, null, null)
    val body = moshi.adapter(ChatRequest::class.java).toJson(config.body).toRequestBody("application/json".toMediaType())
    val request = Request.Builder().url(url + config.path).method(config.method.name, body).build()
    var text = ""
    var length = -1L
    var citations = 0
    val times = mutableListOf<Long>()
    visitor.newCall(request).execute().use { response ->
        check(response.code == 200) { response }
        val source = response.body.source()
        generateSequence { source.readUtf8Line() }
            .filter { it.startsWith("data: ") }
            .map { it.removePrefix("data: ") }
            .forEach { data ->
                times += System.nanoTime()
                when (read<Tagged>(data).type) {
                    "text_delta" -> text += read<TextDeltaEvent>(data).delta
                    "message_end" -> length = read<MessageEndEvent>(data).textLength
                    "citation" -> {
                        check(read<CitationEvent>(data).quote in text)
                        citations++
                    }
                }
            }
    }
    check(citations > 0 && length == text.codePointCount(0, text.length).toLong()) { text }
    return if (times.last() - times.first() > 50_000_000) "typed, incremental" else "typed, buffered"
}

private fun signIn(): OkHttpClient {
    val body = SignInRequest(email = getEnv("EMAIL"), password = getEnv("PASSWORD"))
    val reply = SessionApi(url, createClient("Origin" to url)).signInWithHttpInfo(body)
    val cookie = reply.headers.entries.first { it.key.equals("set-cookie", ignoreCase = true) }.value.first()
    return createClient("Origin" to url, "Cookie" to cookie.substringBefore(';'))
}

private fun translate(): String {
    member = signIn()
    val articles = ArticlesApi(url, member)
    val translations = TranslationsApi(url, member)
    val new = NewArticle(title = "Gift wrapping", answer = "Choose gift wrapping at the checkout. It costs two euros.")
    val article = articles.createArticle(tenant, new)
    val published = articles.publishArticle(tenant, article.id, ArticleBase(article.revision))
    check(published.status.toString().startsWith("published"))
    val german =
        NewTranslation(
            locale = "de",
            title = "Geschenkverpackung",
            answer = "Wählen Sie die Geschenkverpackung an der Kasse.",
        )
    val draft = translations.createTranslation(tenant, article.id, german)
    val submitted = translations.submitTranslation(tenant, article.id, draft.id, TranslationBase(draft.revision))
    check(submitted.status.toString().startsWith("in_review"))
    val verdict = TranslationVerdict(baseRevision = submitted.revision, decision = ReviewDecisionInput.approve)
    val approved = translations.reviewTranslation(tenant, article.id, draft.id, verdict)
    check(approved.status.toString().startsWith("approved"))
    val live = translations.publishTranslation(tenant, article.id, draft.id, TranslationBase(approved.revision))
    check(live.live?.revision == live.revision)
    return "yes"
}

private fun page(key: String) = ExportApi(url, createClient("X-Api-Key" to key)).exportConversations(limit = 10L)

private fun export(): String {
    val page = page(getEnv("API_KEY"))
    check(!page.hasMore && page.`data`.any { it.id == conversation })
    return "yes"
}

private fun errors(): String {
    val missing = { ArticlesApi(url, member).readArticle(tenant, "art_01kakv2fxse7wtg6x5r0h8rjbm") }
    expectError(404, "article/not_found", missing)
    expectError(401, "export/unauthorized") { page("pk_live_" + "a".repeat(47)) }
    return "typed"
}

/** The generated exception carries the body as text; the generated type parses it. */
private fun expectError(status: Int, code: String, call: () -> Any) =
    try {
        error("expected an error: ${call()}")
    } catch (exception: ClientException) {
        val body = (exception.response as ClientError<*>).body
        check(exception.statusCode == status && read<ErrorBody>(body.toString()).error.startsWith(code)) { body.toString() }
    }
