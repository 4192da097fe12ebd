<?php

// php call.php URL KEY 'CODE': runs CODE with $topup, a client, and prints what it returns, what it threw and how long it
// waited, as JSON.

declare(strict_types=1);

require __DIR__ . '/autoload.php';

[, $url, $key, $code] = $argv;
$waits = [];
$retries = new Topup\Retries(sleep: static function (float $seconds) use (&$waits): void {
    $waits[] = $seconds;
    // Orders take their time whatever a test's clock says.
    usleep((int) min($seconds * 1_000_000, 100_000));
});
$factory = new GuzzleHttp\Psr7\HttpFactory();
$topup = new Topup\Client($url, $key, new GuzzleHttp\Client(['timeout' => 10]), $factory, $factory, $retries);
try {
    $result = ['value' => eval($code)];
} catch (Throwable $thrown) {
    $result = ['thrown' => $thrown::class, 'message' => $thrown->getMessage()] + get_object_vars($thrown);
}
echo json_encode($result + ['waits' => $waits], JSON_THROW_ON_ERROR | JSON_PARTIAL_OUTPUT_ON_ERROR);
