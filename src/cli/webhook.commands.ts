import { MerchantsModule } from '../merchants/merchants.module.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../webhooks/delivery.entity.js';
import { WebhookListingModule } from '../webhooks/webhook-listing.module.js';
import { WebhookListingService } from '../webhooks/webhook-listing.service.js';
import { WebhookReplayService } from '../webhooks/webhook-replay.service.js';
import { toDeliveryDto } from '../webhooks/webhook.mapper.js';
import type { Actor } from '../audit-log/audit-log.js';
import type { CommandGroup } from './command-group.js';
import { confirm, MAX_WITHOUT_CONFIRMATION } from './confirm.js';
import { id, integer, moment, oneOf, only } from './options.js';
import { limitedList, record } from './output.js';
import { withProgress } from './progress.js';

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 100_000;
const STATUSES = DELIVERY_STATUSES.join(', ');

interface ListGiven {
  merchant: number;
  status?: DeliveryStatus;
  limit: number;
}

interface ReplayGiven extends Actor {
  merchant: number;
  since: Date;
  status: DeliveryStatus;
  yes?: boolean;
}

export const webhookCommands: CommandGroup = {
  features: { imports: [MerchantsModule, WebhookListingModule] },
  define(webhook) {
    webhook
      .command('deliveries')
      .description('List deliveries to a merchant’s webhooks, newest first.')
      .requiredOption('--merchant <id>', 'merchant id', id)
      .option('--status <status>', `deliveries with this status: ${STATUSES}`, oneOf(DELIVERY_STATUSES))
      .option('--limit <n>', 'maximum number of deliveries', integer(1, MAX_LIMIT), DEFAULT_LIMIT)
      .examples('webhook deliveries --merchant 1 --status failed')
      .does(async (app, { merchant, status, limit }: ListGiven) => {
        await app.get(MerchantsService).get(merchant);
        const filter = { merchantIds: only(merchant), statuses: only(status) };
        const { data } = await app.get(WebhookListingService).deliveries(filter, { limit });
        const lines = data.map((each) => ({ ...toDeliveryDto(each) }));
        return limitedList(lines, 'There are no such deliveries.', limit);
      });

    webhook
      .command('replay')
      .description('Attempt a merchant’s deliveries once more, with the same events and without further retries.')
      .requiredOption('--merchant <id>', 'merchant id', id)
      .requiredOption('--since <moment>', 'deliveries created at or after this time, in ISO 8601', moment)
      .option('--status <status>', `deliveries with this status: ${STATUSES}`, oneOf(DELIVERY_STATUSES), 'failed')
      .audited()
      .notes(`\nMore than ${MAX_WITHOUT_CONFIRMATION} deliveries need confirmation.`)
      .asksFirst()
      .examples('webhook replay --merchant 1 --since 2026-01-15T08:00:00+07:00')
      .does(async (app, { merchant, since, status, yes, ...by }: ReplayGiven) => {
        await app.get(MerchantsService).get(merchant);
        const replays = app.get(WebhookReplayService);
        const which = { merchantId: merchant, since, status };
        const count = await replays.count(which);
        if (count > MAX_WITHOUT_CONFIRMATION) await confirm(`${count} deliveries are attempted once more.`, { yes });
        const replayed = await withProgress('Replaying deliveries', (report) =>
          replays.replay(which, count, { by, onProgress: (done) => report(done, count) }),
        );
        return record({ replayed });
      });
  },
};
