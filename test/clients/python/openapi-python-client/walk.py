"""The steps of a walk with openapi-python-client: boot, consent, a streamed answer, a translation going live, an export page, errors."""

import json
import time
from http import HTTPStatus
from typing import Any, TypeVar

import steps
from guidepost import AuthenticatedClient, Client
from guidepost import models as m
from guidepost.api.articles import create_article, publish_article, read_article
from guidepost.api.boot import boot_guide
from guidepost.api.chat import send_message
from guidepost.api.consent import record_consent
from guidepost.api.export import export_conversations
from guidepost.api.session import sign_in
from guidepost.api.translations import (
    create_translation,
    publish_translation,
    review_translation,
    submit_translation,
)
from guidepost.types import Response

T = TypeVar("T")


AGENT = {"user-agent": steps.USER_AGENT}


def client_of(token: str, origin: str = steps.ORIGIN, header: str = "authorization") -> AuthenticatedClient:
    """The generated client asks for the one header that says who is calling."""
    prefix = "Bearer" if header == "authorization" else ""
    headers = {**AGENT, "origin": origin}
    return AuthenticatedClient(
        base_url=steps.URL, headers=headers, token=token, prefix=prefix, auth_header_name=header
    )


def the(wanted: type[T], answer: object) -> T:
    """What is not a refusal; the type of an answer is a union of both."""
    assert isinstance(answer, wanted), answer
    return answer


visitor: AuthenticatedClient
member: AuthenticatedClient
booted: m.BootReply


def boot() -> str:
    global visitor, booted
    body = m.BootRequest(app_id=steps.APP_ID, origin=steps.ORIGIN, path="/")
    client = Client(base_url=steps.URL, headers={**AGENT, "origin": steps.ORIGIN})
    booted = the(m.BootReply, boot_guide.sync(client=client, body=body))
    assert booted.jwt
    visitor = client_of(booted.jwt)
    return "yes"


def consent() -> str:
    body = m.ConsentRequest(
        visitor_id=booted.visitor_id,
        url=f"{steps.ORIGIN}/",
        copy_version=booted.config.consent.copy.version,
        at=int(time.time() * 1000),
        decision=m.VisitorDecision.ACCEPTED,
    )
    reply = the(m.ConsentReply, record_consent.sync(client=visitor, body=body))
    assert reply.ok and reply.recorded
    return "yes"


EVENTS: dict[str, type[Any]] = {
    "text_delta": m.TextDeltaEvent,
    "citation": m.CitationEvent,
    "message_end": m.MessageEndEvent,
}


def stream() -> str:
    body = m.ChatRequest(
        message="How do I reset my password?",
        dom_digest="main > h1 Account",
        conversation_id=steps.CONVERSATION,
        turn_idx=0,
        url=f"{steps.ORIGIN}/account",
    )
    text, length, citations = "", -1, 0
    moments: list[float] = []
    # The generated functions read a whole answer as one event; the request that they make is the one to stream.
    with visitor.get_httpx_client().stream(**send_message._get_kwargs(body=body)) as answer:
        assert answer.status_code == 200
        for moment, data in steps.events_in(answer.iter_lines()):
            moments.append(moment)
            said = json.loads(data)
            model = EVENTS.get(said["type"])
            event: object = model.from_dict(said) if model else None
            if isinstance(event, m.TextDeltaEvent):
                text += event.delta
            if isinstance(event, m.CitationEvent):
                assert event.quote in text
                citations += 1
            if isinstance(event, m.MessageEndEvent):
                length = event.text_length
    assert citations > 0 and length == len(text)
    return steps.manner(moments)


def translation() -> str:
    global member
    credentials = m.SignInRequest(email=steps.EMAIL, password=steps.PASSWORD)
    client = Client(base_url=steps.URL, headers={**AGENT, "origin": steps.URL})
    signed_in = sign_in.sync_detailed(client=client, body=credentials)
    the(m.SessionState, signed_in.parsed)
    member = client_of(signed_in.headers["set-cookie"].split(";")[0], steps.URL, "cookie")
    new = m.NewArticle(title="Gift wrapping", answer="Choose gift wrapping at the checkout. It costs two euros.")
    article = the(m.Article, create_article.sync(steps.TENANT, client=member, body=new))
    base = m.ArticleBase(base_revision=article.revision)
    published = the(m.Article, publish_article.sync(steps.TENANT, article.id, client=member, body=base))
    assert published.status == m.ArticleStatus.PUBLISHED
    german = m.NewTranslation(
        locale="de", title="Geschenkverpackung", answer="Wählen Sie die Geschenkverpackung an der Kasse."
    )
    draft = the(m.Translation, create_translation.sync(steps.TENANT, article.id, client=member, body=german))
    at = (steps.TENANT, article.id, draft.id)
    seen = m.TranslationBase(base_revision=draft.revision)
    submitted = the(m.Translation, submit_translation.sync(*at, client=member, body=seen))
    assert submitted.status == m.TranslationStatus.IN_REVIEW
    verdict = m.TranslationVerdict(base_revision=submitted.revision, decision=m.ReviewDecision.APPROVE)
    approved = the(m.Translation, review_translation.sync(*at, client=member, body=verdict))
    assert approved.status == m.TranslationStatus.APPROVED
    seen = m.TranslationBase(base_revision=approved.revision)
    live = the(m.Translation, publish_translation.sync(*at, client=member, body=seen))
    assert the(m.TranslationLive, live.live).revision == live.revision
    return "yes"


def export() -> str:
    exporter = client_of(steps.API_KEY, header="x-api-key")
    page = the(m.ExportedConversationPage, export_conversations.sync(client=exporter, limit=10))
    assert not page.has_more and any(row.id == steps.CONVERSATION for row in page.data)
    return "yes"


def code_of(response: Response[Any]) -> tuple[HTTPStatus, str]:
    return response.status_code, the(m.ErrorBody, response.parsed).error


def errors() -> str:
    missing = read_article.sync_detailed(steps.TENANT, steps.NOBODYS_ARTICLE, client=member)
    assert code_of(missing) == (404, "article/not_found"), missing
    refused = export_conversations.sync_detailed(client=client_of(steps.NOBODYS_KEY, header="x-api-key"))
    assert code_of(refused) == (401, "export/unauthorized"), refused
    return "typed"


for act in (boot, consent, stream, translation, export, errors):
    steps.step(act.__name__, act)
