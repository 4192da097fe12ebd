<?php

declare(strict_types=1);

namespace Topup;

use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Topup\Resource\Deposits;
use Topup\Resource\Events;
use Topup\Resource\Orders;
use Topup\Resource\Players;
use Topup\Resource\Products;
use Topup\Resource\Sandbox;
use Topup\Resource\Wallet;
use Topup\Resource\Webhooks;

/**
 * A merchant's client of the service. Answers are arrays as the API documents them, amounts are strings such as "35.00".
 * Every call throws {@see Exception\ApiException} for an error answer and {@see Exception\TransportException} without an
 * answer.
 */
final class Client
{
    public const VERSION = '0.1.0';

    public readonly Orders $orders;
    public readonly Wallet $wallet;
    public readonly Deposits $deposits;
    public readonly Products $products;
    public readonly Webhooks $webhooks;
    public readonly Events $events;
    public readonly Players $players;
    public readonly Sandbox $sandbox;

    /**
     * @param string $baseUrl the service, such as "https://topup.example"; without "/v1"
     * @param ClientInterface $http with a timeout of its own; 10 seconds suit the service
     * @param Retries|null $retries how calls are retried; the defaults unless given
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] string $apiKey,
        ClientInterface $http,
        RequestFactoryInterface $requests,
        StreamFactoryInterface $streams,
        ?Retries $retries = null,
    ) {
        $retries ??= new Retries();
        $transport = new Transport($baseUrl, $apiKey, $http, $requests, $streams, $retries);
        $this->orders = new Orders($transport, $retries);
        $this->wallet = new Wallet($transport);
        $this->deposits = new Deposits($transport);
        $this->products = new Products($transport);
        $this->webhooks = new Webhooks($transport);
        $this->events = new Events($transport);
        $this->players = new Players($transport);
        $this->sandbox = new Sandbox($transport);
    }
}
