<?php

namespace App\Providers;

use GuzzleHttp\Client as Guzzle;
use GuzzleHttp\Psr7\HttpFactory;
use Illuminate\Support\ServiceProvider;
use Topup\Client;
use Topup\WebhookVerifier;

class TopupServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->app->singleton(Client::class, static function (): Client {
            $factory = new HttpFactory();
            return new Client(config('topup.url'), config('topup.key'), new Guzzle(['timeout' => 10]), $factory, $factory);
        });
        $this->app->singleton(WebhookVerifier::class, static fn () => new WebhookVerifier(config('topup.webhook_secret')));
    }
}
