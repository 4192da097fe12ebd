import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import { DeliveriesRepository } from '../../src/webhooks/deliveries.repository.js';
import type { DeliveryStatus } from '../../src/webhooks/delivery.entity.js';
import type { DeliveryDto } from '../../src/webhooks/delivery.dto.js';
import { WebhookListingRepository } from '../../src/webhooks/webhook-listing.repository.js';
import { WebhookListingService } from '../../src/webhooks/webhook-listing.service.js';
import { WebhookReplayService } from '../../src/webhooks/webhook-replay.service.js';
import { toDeliveryDto } from '../../src/webhooks/webhook.mapper.js';
import { Scene } from './scene.js';
import type { Endpoints, Hooks } from './support.js';

let scene: Scene;
let hooks: Hooks;
let endpoints: Endpoints;

beforeAll(async () => {
  scene = await Scene.start();
  endpoints = scene.endpoints;
});

afterAll(() => scene.close());

beforeEach(async () => {
  await scene.newMerchant();
  hooks = scene.hooks;
});

describe('the operators’ service', () => {
  const listed = async (statuses?: DeliveryStatus[], limit = 1_000): Promise<DeliveryDto[]> => {
    const { api } = scene.stack;
    const listing = new WebhookListingRepository(api.get(Database), api.get(DeliveriesRepository));
    const filter = { merchantIds: [hooks.merchant.id], statuses };
    const page = await new WebhookListingService(listing).deliveries(filter, { limit });
    return page.data.map(toDeliveryDto);
  };

  it('lists the deliveries of all webhooks of a merchant, also of deleted ones, newest first', async () => {
    const [kept, gone] = [await hooks.register(endpoints.add()), await hooks.register(endpoints.answering(500))];
    await hooks.test(kept.id);
    await hooks.test(gone.id);
    await hooks.newestIs(kept.id, 'succeeded');
    const failed = await hooks.newestIs(gone.id, 'failed');
    await hooks.remove(gone.id);
    const all = await listed();
    expect(all.map(({ webhook_id }) => webhook_id)).toEqual([gone.id, kept.id]);
    const { attempts: _, ...asListed } = failed;
    expect(await listed(['failed'])).toEqual([asListed]);
    expect(await listed(undefined, 1)).toHaveLength(1);
  });

  it('replays deliveries that failed since a time, but not to inactive or deleted webhooks', async () => {
    const url = endpoints.answering(500, 500, 204);
    const [own, inactive, gone] = [
      await hooks.register(url, { max_retries: 0 }),
      await hooks.register(endpoints.answering(500), { max_retries: 0 }),
      await hooks.register(endpoints.answering(500), { max_retries: 0 }),
    ];
    await scene.order();
    const before = await hooks.newestIs(own.id, 'failed');
    await scene.stack.sql(`UPDATE webhook_deliveries SET created_at = now() - interval '1 day' WHERE id = $1`, [
      before.id,
    ]);
    await scene.order();
    for (const { id } of [own, inactive, gone]) {
      await hooks.newest(id, ({ status, created_at }) => status === 'failed' && created_at !== before.created_at);
    }
    await hooks.patch(inactive.id, { status: 'inactive' });
    await hooks.remove(gone.id);
    const since = new Date(Date.now() - 3_600_000);
    const replay = (from: Date, status: DeliveryStatus = 'failed'): Promise<number> =>
      scene.stack.api.get(WebhookReplayService).replay({ merchantId: hooks.merchant.id, status, since: from }, 10);
    expect(await replay(since, 'succeeded')).toBe(0);
    expect(await replay(since)).toBe(1);
    expect(await hooks.newestIs(own.id, 'succeeded')).toMatchObject({ attempt_count: 2 });
    expect(await replay(since)).toBe(0);
    expect(await replay(new Date(Date.now() - 2 * 86_400_000))).toBe(1);
    await endpoints.arrived(url, 4);
  });

  it('replays no more deliveries than were counted, also if another one fails meanwhile', async () => {
    const url = endpoints.answering(500, 500, 204);
    const { id } = await hooks.register(url, { max_retries: 0 });
    await scene.order();
    const counted = await hooks.newestIs(id, 'failed');
    const replays = scene.stack.api.get(WebhookReplayService);
    const failed = { merchantId: hooks.merchant.id, webhookId: id, status: 'failed', since: new Date(0) } as const;
    const count = await replays.count(failed);
    await scene.order();
    await hooks.newest(id, ({ status, id: newest }) => status === 'failed' && newest !== counted.id);
    expect([count, await replays.count(failed), await replays.replay(failed, count)]).toEqual([1, 2, 1]);
    await endpoints.arrived(url, 3);
    expect(await hooks.newestIs(id, 'failed')).toMatchObject({ attempt_count: 1 });
  });
});
