<?php

/** Runs the scenario in PHP: boot, consent, a streamed answer, publishing a translation, an export page, errors. */

declare(strict_types=1);

// The autoloader of Debian's php-guzzlehttp-guzzle; elsewhere, Composer's takes its place.
require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    if (str_starts_with($class, 'Guidepost\\')) {
        require __DIR__ . '/generated/lib/' . strtr(substr($class, strlen('Guidepost\\')), '\\', '/') . '.php';
    }
});

use Guidepost\Api;
use Guidepost\ApiException;
use Guidepost\Configuration;
use Guidepost\Model;
use Guidepost\ObjectSerializer;
use GuzzleHttp\Client;

const UNKNOWN_ARTICLE = 'art_01kakv2fxse7wtg6x5r0h8rjbm';
/** The models of the events that the scenario reads; others are skipped. */
const EVENTS = [
    'text_delta' => Model\TextDeltaEvent::class,
    'citation' => Model\CitationEvent::class,
    'message_end' => Model\MessageEndEvent::class,
];

final class Scenario
{
    private readonly string $url;
    private readonly string $origin;
    private readonly string $tenant;
    private readonly string $conversation;
    private Client $visitor;
    private Client $member;
    private Model\BootReply $booted;

    public function __construct()
    {
        $this->url = self::env('URL');
        $this->origin = self::env('ORIGIN');
        $this->tenant = self::env('TENANT_ID');
        $this->conversation = 'conv-scenario-' . getmypid();
    }

    public function run(): void
    {
        foreach (['boot', 'consent', 'stream', 'translation', 'export', 'errors'] as $name) {
            try {
                $line = ['step' => $name, 'result' => $this->$name()];
            } catch (Throwable $cause) {
                $line = ['step' => $name, 'failed' => (string) $cause];
            }
            echo json_encode($line), "\n";
        }
    }

    private function boot(): string
    {
        $this->visitor = new Client(['headers' => ['Origin' => $this->origin]]);
        $body = new Model\BootRequest(['app_id' => self::env('APP_ID'), 'origin' => $this->origin, 'path' => '/']);
        $this->booted = $this->api(Api\BootApi::class, $this->visitor)->bootGuide($body);
        self::check($this->booted->getJwt() !== null, 'no token');
        $headers = ['Origin' => $this->origin, 'Authorization' => "Bearer {$this->booted->getJwt()}"];
        $this->visitor = new Client(['headers' => $headers]);
        return 'yes';
    }

    private function consent(): string
    {
        $reply = $this->api(Api\ConsentApi::class, $this->visitor)->recordConsent(new Model\ConsentRequest([
            'visitor_id' => $this->booted->getVisitorId(),
            'url' => "{$this->origin}/",
            'copy_version' => $this->booted->getConfig()->getConsent()->getCopy()->getVersion(),
            'at' => (int) (microtime(true) * 1000),
            'decision' => Model\VisitorDecisionInput::ACCEPTED,
        ]));
        self::check($reply->getOk() && $reply->getRecorded(), (string) $reply);
        return 'yes';
    }

    /** Reads an answer to its end and checks whether its events arrive one by one. */
    private function stream(): string
    {
        $request = $this->api(Api\ChatApi::class, $this->visitor)->sendMessageRequest(new Model\ChatRequest([
            'message' => 'How do I reset my password?',
            'dom_digest' => 'main > h1 Account',
            'conversation_id' => $this->conversation,
            'turn_idx' => 0,
            'url' => "{$this->origin}/account",
        ]));
        $answer = $this->visitor->send($request, ['stream' => true])->getBody()->detach();
        [$text, $length, $citations, $times] = ['', -1, 0, []];
        while (($line = fgets($answer)) !== false) {
            if (!str_starts_with($line, 'data: ')) {
                continue;
            }
            $times[] = microtime(true);
            $data = json_decode(substr($line, strlen('data: ')), flags: JSON_THROW_ON_ERROR);
            $model = EVENTS[$data->type] ?? null;
            $event = $model ? ObjectSerializer::deserialize($data, $model) : null;
            if ($event instanceof Model\TextDeltaEvent) {
                $text .= $event->getDelta();
            } elseif ($event instanceof Model\CitationEvent) {
                self::check(str_contains($text, $event->getQuote()), $event->getQuote());
                $citations++;
            } elseif ($event instanceof Model\MessageEndEvent) {
                $length = $event->getTextLength();
            }
        }
        self::check($citations > 0 && $length === mb_strlen($text), $text);
        return end($times) - $times[0] > 0.05 ? 'typed, incremental' : 'typed, buffered';
    }

    private function translation(): string
    {
        $this->member = new Client(['headers' => ['Origin' => $this->url]]);
        $credentials = new Model\SignInRequest(['email' => self::env('EMAIL'), 'password' => self::env('PASSWORD')]);
        [$session, , $headers] = $this->api(Api\SessionApi::class, $this->member)->signInWithHttpInfo($credentials);
        self::check(count($session->getMemberships()) === 1, (string) $session);
        $cookie = explode(';', array_change_key_case($headers)['set-cookie'][0])[0];
        $this->member = new Client(['headers' => ['Origin' => $this->url, 'Cookie' => $cookie]]);
        $this->translate();
        return 'yes';
    }

    private function translate(): void
    {
        $articles = $this->api(Api\ArticlesApi::class, $this->member);
        $translations = $this->api(Api\TranslationsApi::class, $this->member);
        $article = $articles->createArticle($this->tenant, new Model\NewArticle([
            'title' => 'Gift wrapping',
            'answer' => 'Choose gift wrapping at the checkout. It costs two euros.',
        ]));
        $base = new Model\ArticleBase(['base_revision' => $article->getRevision()]);
        $published = $articles->publishArticle($this->tenant, $article->getId(), $base);
        self::check(str_starts_with($published->getStatus(), 'published'), (string) $published);
        $draft = $translations->createTranslation($this->tenant, $article->getId(), new Model\NewTranslation([
            'locale' => 'de',
            'title' => 'Geschenkverpackung',
            'answer' => 'Wählen Sie die Geschenkverpackung an der Kasse.',
        ]));
        $at = [$this->tenant, $article->getId(), $draft->getId()];
        $seen = fn(Model\Translation $translation) => ['base_revision' => $translation->getRevision()];
        $submitted = $translations->submitTranslation(...[...$at, new Model\TranslationBase($seen($draft))]);
        self::check(str_starts_with($submitted->getStatus(), 'in_review'), (string) $submitted);
        $verdict = [...$seen($submitted), 'decision' => Model\ReviewDecisionInput::APPROVE];
        $approved = $translations->reviewTranslation(...[...$at, new Model\TranslationVerdict($verdict)]);
        self::check(str_starts_with($approved->getStatus(), 'approved'), (string) $approved);
        $live = $translations->publishTranslation(...[...$at, new Model\TranslationBase($seen($approved))]);
        self::check($live->getLive()?->getRevision() === $live->getRevision(), (string) $live);
    }

    private function export(): string
    {
        $page = $this->page(self::env('API_KEY'));
        $ids = array_map(fn(Model\ExportedConversation $row) => $row->getId(), $page->getData());
        self::check(in_array($this->conversation, $ids, true) && !$page->getHasMore(), (string) $page);
        return 'yes';
    }

    private function errors(): string
    {
        $articles = $this->api(Api\ArticlesApi::class, $this->member);
        self::expectError(404, 'article/not_found', fn() => $articles->readArticle($this->tenant, UNKNOWN_ARTICLE));
        self::expectError(401, 'export/unauthorized', fn() => $this->page('pk_live_' . str_repeat('a', 47)));
        return 'typed';
    }

    private function page(string $key): Model\ExportedConversationPage
    {
        $exporter = $this->api(Api\ExportApi::class, new Client(['headers' => ['X-Api-Key' => $key]]));
        return $exporter->exportConversations(limit: 10);
    }

    private static function expectError(int $status, string $code, Closure $call): void
    {
        try {
            $call();
        } catch (ApiException $exception) {
            $body = $exception->getResponseObject();
            $isExpected = $body instanceof Model\ErrorBody && str_starts_with($body->getError(), $code);
            self::check($isExpected && $exception->getCode() === $status, (string) $exception);
            return;
        }
        throw new LogicException('expected an error');
    }

    /**
     * @template T
     * @param class-string<T> $class
     * @return T
     */
    private function api(string $class, Client $client): object
    {
        $configuration = (new Configuration())->setHost($this->url);
        return new $class($client, $configuration);
    }

    private static function env(string $name): string
    {
        return (string) getenv("GUIDEPOST_$name");
    }

    private static function check(bool $condition, string $message): void
    {
        if (!$condition) {
            throw new RuntimeException($message);
        }
    }
}

(new Scenario())->run();
