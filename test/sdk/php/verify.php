<?php

// Verifies the webhooks of a JSON array on standard input, and prints what came of each: the event, or what was thrown.

declare(strict_types=1);

require __DIR__ . '/autoload.php';

// Bytes that JSON can't carry are given in base64, behind "base64:".
$bytes = static function (mixed $value) use (&$bytes): mixed {
    if (is_array($value)) {
        return array_map($bytes, $value);
    }
    return is_string($value) && str_starts_with($value, 'base64:') ? base64_decode(substr($value, 7)) : $value;
};
$results = [];
foreach (json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR) as $case) {
    try {
        $verifier = new Topup\WebhookVerifier($case['secrets'], $case['tolerance'] ?? 300, static fn (): int => $case['now']);
        $results[] = $verifier->verify($bytes($case['body']), $bytes($case['headers']));
    } catch (Throwable $thrown) {
        $results[] = $thrown::class;
    }
}
echo json_encode($results, JSON_THROW_ON_ERROR);
