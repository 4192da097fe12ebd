<?php

declare(strict_types=1);

namespace Topup;

use Topup\Exception\InvalidWebhook;

/** Verifies webhooks of the service by Standard Webhooks 1.0. It refuses forged and old ones. */
final class WebhookVerifier
{
    /** @var list<string> */
    private readonly array $keys;
    /** @var \Closure(): int */
    private readonly \Closure $now;

    /**
     * @param string|list<string> $secrets the webhook's secret; while you change it, the old and the new one
     * @param int $tolerance the most seconds by which the clocks may differ
     * @param callable(): int|null $now seconds since 1970; time() unless given
     */
    public function __construct(
        #[\SensitiveParameter] string|array $secrets,
        private readonly int $tolerance = 300,
        ?callable $now = null,
    ) {
        $this->keys = array_map(self::keyOf(...), array_values((array) $secrets));
        if ($this->keys === []) {
            throw new \InvalidArgumentException('a secret is required');
        }
        $this->now = $now === null ? time(...) : $now(...);
    }

    /**
     * @param mixed $body the raw bytes that arrived, such as file_get_contents('php://input')
     * @param mixed $headers an array by name, in any case, with texts or lists of one text; $_SERVER will do
     * @return array<string, mixed> the event
     * @throws InvalidWebhook and never another exception
     */
    public function verify(mixed $body, mixed $headers): array
    {
        $headers = is_array($headers) ? $headers : [];
        $id = self::header($headers, 'webhook-id');
        $timestamp = self::header($headers, 'webhook-timestamp');
        $signatures = self::header($headers, 'webhook-signature');
        if (!is_string($body)) {
            throw new InvalidWebhook('there is no body');
        }
        if (preg_match('/^[0-9]{1,12}$/D', $timestamp) !== 1) {
            throw new InvalidWebhook('webhook-timestamp is no number of seconds');
        }
        if (abs(($this->now)() - (int) $timestamp) > $this->tolerance) {
            throw new InvalidWebhook('webhook-timestamp is too far from our time');
        }
        if (!$this->isSigned("{$id}.{$timestamp}.{$body}", $signatures)) {
            throw new InvalidWebhook('no signature fits');
        }
        $event = json_decode($body, true, 64, JSON_BIGINT_AS_STRING);
        if (!is_array($event)) {
            throw new InvalidWebhook('the body is no JSON object');
        }
        return $event;
    }

    private function isSigned(string $content, string $signatures): bool
    {
        $fits = false;
        foreach (explode(' ', $signatures) as $signature) {
            foreach ($this->keys as $key) {
                $expected = 'v1,' . base64_encode(hash_hmac('sha256', $content, $key, true));
                $fits = hash_equals($expected, $signature) || $fits;
            }
        }
        return $fits;
    }

    /** `whsec_` and standard padded base64 is decoded; the bytes of any other secret are used as they are. */
    private static function keyOf(mixed $secret): string
    {
        if (!is_string($secret) || $secret === '') {
            throw new \InvalidArgumentException('a secret is a text that is not empty');
        }
        if (!str_starts_with($secret, 'whsec_')) {
            return $secret;
        }
        $encoded = substr($secret, 6);
        // PHP also decodes text with wrong padding.
        $isStandard = preg_match('~^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$~D', $encoded) === 1;
        return $isStandard && $encoded !== '' ? base64_decode($encoded) : $secret;
    }

    /** @param array<mixed> $headers */
    private static function header(array $headers, string $name): string
    {
        foreach ($headers as $key => $value) {
            $known = str_replace('_', '-', strtolower((string) $key));
            if ($known !== $name && $known !== "http-{$name}") {
                continue;
            }
            if (is_array($value) && count($value) === 1) {
                $value = reset($value);
            }
            if (is_string($value) && $value !== '') {
                return $value;
            }
            break;
        }
        throw new InvalidWebhook("there is no {$name}");
    }
}
