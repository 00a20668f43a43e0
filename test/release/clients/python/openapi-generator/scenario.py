"""Runs the scenario with openapi-generator: boot, consent, a streamed answer, publishing a translation, an export page, errors."""

import io
import json
import time
from collections.abc import Callable
from typing import Any

import guidepost as g
import steps
from guidepost.exceptions import ApiException


def create_client(**headers: str) -> g.ApiClient:
    client = g.ApiClient(g.Configuration(host=steps.URL))
    for name, value in headers.items():
        client.set_default_header(name.replace("_", "-"), value)
    return client


visitor = create_client(origin=steps.ORIGIN)
member = create_client(origin=steps.URL)
booted: g.BootReply


def boot() -> str:
    global visitor, booted
    booted = g.BootApi(visitor).boot_guide(g.BootRequest(app_id=steps.APP_ID, origin=steps.ORIGIN, path="/"))
    assert booted.jwt
    visitor = create_client(origin=steps.ORIGIN, authorization=f"Bearer {booted.jwt}")
    return "yes"


def consent() -> str:
    body = g.ConsentRequest(
        visitor_id=booted.visitor_id,
        url=f"{steps.ORIGIN}/",
        copy_version=booted.config.consent.copy.version,
        at=int(time.time() * 1000),
        decision=g.VisitorDecisionInput.ACCEPTED,
    )
    reply = g.ConsentApi(visitor).record_consent(body)
    assert reply.ok and reply.recorded
    return "yes"


def stream() -> str:
    body = g.ChatRequest(
        message="How do I reset my password?",
        dom_digest="main > h1 Account",
        conversation_id=steps.CONVERSATION,
        turn_idx=0,
        url=f"{steps.ORIGIN}/account",
    )
    answer: Any = g.ChatApi(visitor).send_message_without_preload_content(body)
    assert answer.status == 200
    answer.auto_close = False
    text, length, citations = "", -1, 0
    times: list[float] = []
    for moment, data in steps.events_in(io.TextIOWrapper(answer, encoding="utf-8")):
        times.append(moment)
        # The union rejects types that the document does not know.
        is_known = json.loads(data)["type"] in steps.EVENTS
        event = g.ChatEvent.from_json(data).actual_instance if is_known else None
        if isinstance(event, g.TextDeltaEvent):
            text += event.delta
        if isinstance(event, g.CitationEvent):
            assert event.quote in text
            citations += 1
        if isinstance(event, g.MessageEndEvent):
            length = event.text_length
    assert citations > 0 and length == len(text)
    return steps.describe_timing(times)


def translation() -> str:
    global member
    credentials = g.SignInRequest(email=steps.EMAIL, password=steps.PASSWORD)
    # The generated function keeps only one of several Set-Cookie headers.
    signed_in: Any = g.SessionApi(member).sign_in_without_preload_content(credentials)
    session = g.SessionState.from_json(signed_in.data)
    assert session and len(session.memberships) == 1
    cookie = next(each for each in signed_in.headers.getlist("set-cookie") if "session=" in each)
    member = create_client(origin=steps.URL, cookie=cookie.split(";")[0])
    articles, translations = g.ArticlesApi(member), g.TranslationsApi(member)
    new = g.NewArticle(title="Gift wrapping", answer="Choose gift wrapping at the checkout. It costs two euros.")
    article = articles.create_article(steps.TENANT, new)
    base = g.ArticleBase(baseRevision=article.revision)
    published = articles.publish_article(steps.TENANT, article.id, base)
    assert published.status.startswith("published")
    german = g.NewTranslation(
        locale="de", title="Geschenkverpackung", answer="Wählen Sie die Geschenkverpackung an der Kasse."
    )
    draft = translations.create_translation(steps.TENANT, article.id, german)
    at = (steps.TENANT, article.id, draft.id)
    submitted = translations.submit_translation(*at, g.TranslationBase(baseRevision=draft.revision))
    assert submitted.status.startswith("in_review")
    verdict = g.TranslationVerdict(baseRevision=submitted.revision, decision=g.ReviewDecisionInput.APPROVE)
    approved = translations.review_translation(*at, verdict)
    assert approved.status.startswith("approved")
    live = translations.publish_translation(*at, g.TranslationBase(baseRevision=approved.revision))
    assert live.live and live.live.revision == live.revision
    return "yes"


def export() -> str:
    page = g.ExportApi(create_client(x_api_key=steps.API_KEY)).export_conversations(limit=10)
    assert not page.has_more and any(row.id == steps.CONVERSATION for row in page.data)
    return "yes"


def expect_error(status: int, code: str, call: Callable[[], object]) -> None:
    try:
        call()
    except ApiException as exception:
        assert isinstance(exception.data, g.ErrorBody)
        assert exception.status == status and exception.data.error.startswith(code), exception
        return
    raise AssertionError("expected an error")


def errors() -> str:
    articles = g.ArticlesApi(member)
    expect_error(404, "article/not_found", lambda: articles.read_article(steps.TENANT, steps.UNKNOWN_ARTICLE))
    unknown_key = g.ExportApi(create_client(x_api_key=steps.UNKNOWN_KEY))
    expect_error(401, "export/unauthorized", lambda: unknown_key.export_conversations())
    return "typed"


for act in (boot, consent, stream, translation, export, errors):
    steps.step(act.__name__, act)
