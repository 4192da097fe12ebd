<?php

declare(strict_types=1);

namespace Topup\Resource;

use Topup\Transport;

final class Webhooks
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /** @return list<array<string, mixed>> all webhooks */
    public function list(): array
    {
        return $this->transport->get('/v1/merchant-webhooks');
    }

    /**
     * @param array<string, mixed> $webhook `url` and further members of the API's request
     * @return array<string, mixed> with `secret` if the service generated it, which no later answer contains
     */
    public function create(array $webhook): array
    {
        return $this->transport->call('POST', '/v1/merchant-webhooks', $webhook, mayRepeat: false);
    }

    /**
     * It is not retried: a late repetition could undo what was changed since.
     * @param array<string, mixed> $changes only the members to change
     * @return array<string, mixed>
     */
    public function update(int $id, array $changes): array
    {
        return $this->transport->call('PATCH', "/v1/merchant-webhooks/{$id}", $changes, mayRepeat: false);
    }

    public function delete(int $id): void
    {
        $this->transport->call('DELETE', "/v1/merchant-webhooks/{$id}", mayRepeat: false);
    }

    /** @return array<string, mixed> the delivery of a test event, which is sent at once */
    public function test(int $id): array
    {
        return $this->transport->call('POST', "/v1/merchant-webhooks/{$id}/test", mayRepeat: false);
    }

    /**
     * @param array<string, scalar|null> $filters `status` and `event`
     * @return \Generator<int, array<string, mixed>> newest first
     */
    public function deliveries(int $id, array $filters = []): \Generator
    {
        return $this->transport->pages("/v1/merchant-webhooks/{$id}/deliveries", $filters);
    }

    /** @return array<string, mixed> with its `attempts` */
    public function delivery(int $id, int $deliveryId): array
    {
        return $this->transport->get("/v1/merchant-webhooks/{$id}/deliveries/{$deliveryId}");
    }

    /** @return array<string, mixed> the delivery, which is attempted once more */
    public function retry(int $id, int $deliveryId): array
    {
        $path = "/v1/merchant-webhooks/{$id}/deliveries/{$deliveryId}/retry";
        return $this->transport->call('POST', $path, mayRepeat: false);
    }
}
