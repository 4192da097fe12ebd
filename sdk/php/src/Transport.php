<?php

declare(strict_types=1);

namespace Topup;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Topup\Exception\ApiException;
use Topup\Exception\TopupException;
use Topup\Exception\TransportException;

/** Sends requests, retries them where that is safe, and turns error answers into exceptions. @internal */
final class Transport
{
    private readonly string $baseUrl;

    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] private readonly string $apiKey,
        private readonly ClientInterface $http,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
        private readonly Retries $retries,
    ) {
        $this->baseUrl = rtrim($baseUrl, '/');
    }

    /** @param array<string, scalar|null> $query null leaves a parameter out */
    public function get(string $path, array $query = []): array
    {
        return $this->call('GET', $path, query: $query);
    }

    /**
     * @param array<string, mixed>|null $body
     * @param bool $mayRepeat whether the request may be repeated safely
     */
    public function call(
        string $method,
        string $path,
        ?array $body = null,
        array $query = [],
        bool $mayRepeat = true,
    ): array {
        $request = $this->request($method, $path, $body, $query);
        for ($repeat = 1; ; $repeat++) {
            try {
                $response = $this->http->sendRequest($request);
            } catch (ClientExceptionInterface $problem) {
                $delay = $mayRepeat ? $this->retries->delayBefore($repeat, null) : null;
                if ($delay === null) {
                    throw new TransportException("no answer to {$method} {$this->baseUrl}{$path}: {$problem->getMessage()}", 0, $problem);
                }
                $this->retries->wait($delay);
                continue;
            }
            if ($response->getStatusCode() < 300) {
                return $this->read($response) ?? throw new TransportException("unreadable answer to {$method} {$this->baseUrl}{$path}");
            }
            $error = ApiException::of($response->getStatusCode(), $this->read($response), $this->headersOf($response));
            $delay = $error->isPassing($mayRepeat) ? $this->retries->delayBefore($repeat, $error->retryAfter) : null;
            if ($delay === null) {
                throw $error;
            }
            $this->retries->wait($delay);
        }
    }

    /**
     * The elements of a list, page after page.
     * @param array<string, scalar|null> $query
     * @param string $cursor the parameter that takes `next_cursor`
     * @return \Generator<int, array<string, mixed>>
     */
    public function pages(string $path, array $query, string $cursor = 'cursor'): \Generator
    {
        $query += ['limit' => 100];
        do {
            $page = $this->get($path, $query);
            // Without the keys, which would begin at 0 on each page.
            foreach ($page['data'] as $each) {
                yield $each;
            }
            $query[$cursor] = $page['next_cursor'];
        } while ($page['next_cursor'] !== null);
    }

    private function request(string $method, string $path, ?array $body, array $query): RequestInterface
    {
        $query = array_filter($query, static fn ($value) => $value !== null);
        $url = $this->baseUrl . $path . ($query === [] ? '' : '?' . http_build_query($query, '', '&', PHP_QUERY_RFC3986));
        $request = $this->requests->createRequest($method, $url)
            ->withHeader('X-API-Key', $this->apiKey)
            ->withHeader('Accept', 'application/json')
            ->withHeader('User-Agent', 'order-topup-php/' . Client::VERSION);
        if ($body === null) {
            return $request;
        }
        try {
            $text = json_encode((object) $body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
        } catch (\JsonException $problem) {
            throw new TopupException("the request is no JSON: {$problem->getMessage()}", 0, $problem);
        }
        return $request->withHeader('Content-Type', 'application/json')->withBody($this->streams->createStream($text));
    }

    /** Null if the text is no JSON object or list; an empty text is an empty list. */
    private function read(ResponseInterface $response): ?array
    {
        $text = (string) $response->getBody();
        $value = $text === '' ? [] : json_decode($text, true, 64, JSON_BIGINT_AS_STRING);
        return is_array($value) ? $value : null;
    }

    /** @return array{requestId: string|null, retryAfter: float|null} */
    private function headersOf(ResponseInterface $response): array
    {
        $asked = trim($response->getHeaderLine('Retry-After'));
        $moment = preg_match('/^[0-9]{1,9}$/D', $asked) === 1 || $asked === '' ? false : strtotime($asked);
        return [
            'requestId' => $response->getHeaderLine('X-Request-Id') ?: null,
            'retryAfter' => match (true) {
                preg_match('/^[0-9]{1,9}$/D', $asked) === 1 => (float) $asked,
                $moment !== false => (float) max(0, $moment - time()),
                default => null,
            },
        ];
    }
}
