import type { INestApplicationContext } from '@nestjs/common';
import { ChannelsService } from '../deposits/channels.service.js';
import { MerchantsService } from '../merchants/merchants.service.js';

/** Checks what filters of deposits name: a typing mistake would look like an empty list. @throws NOT_FOUND */
export async function assertKnown(
  app: INestApplicationContext,
  { merchant, channel }: { merchant?: number; channel?: string },
): Promise<void> {
  if (merchant !== undefined) await app.get(MerchantsService).get(merchant);
  if (channel === undefined) return;
  const channels = app.get(ChannelsService);
  // Operators may list the payments of the sandbox, although they neither see nor set its channel.
  if (channel !== (await channels.sandbox()).code) await channels.get(channel);
}
