import type { INestApplicationContext } from '@nestjs/common';
import type { Actor } from '../audit-log/audit-log.js';
import { pick } from '../core/members.js';
import type { Satang } from '../core/money.js';
import { CHANNEL_ADAPTER_NAMES, CHANNEL_ADAPTERS } from '../deposits/channels/adapters.js';
import { VendorListsService } from '../deposits/vendor-lists.service.js';
import { ChannelsService } from '../deposits/channels.service.js';
import type { ChannelCheck } from '../deposits/channels/channel-adapter.js';
import type { DepositChannel } from '../deposits/deposit-channel.entity.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { NoQueuesModule } from '../queues/no-queues.module.js';
import { toChannelView, type View } from '../deposits/views.js';
import type { CommandGroup, OperatorCommand } from './command-group.js';
import { confirm } from './confirm.js';
import { confirmRemoval, NamedValues, repeated, VALUES_HELP, withRemoved } from './named-values.js';
import { baht, integer, moment, oneOf } from './options.js';
import { checksTable, list, record, type Result } from './output.js';
import { CommandError } from './problems.js';

interface SetGiven extends Actor {
  code: string;
  adapter: string;
  baseUrl?: string;
  credential?: string[];
  removeCredential?: string[];
  option?: string[];
  removeOption?: string[];
  min?: Satang;
  max?: Satang;
  priority?: number;
  holdAbove?: Satang;
  active?: boolean;
  inactive?: boolean;
  newCallbackUrl?: boolean;
  yes?: boolean;
}

const SET_HELP = `${VALUES_HELP}
Values that are not given stay as they are. If the adapter changes, only --priority, --hold-above and the status
stay. topup channel adapters lists the credentials and options of each adapter.
The command asks before it removes a credential, because the removed value can't be recovered.
`;

export const channelCommands: CommandGroup = {
  features: { imports: [DepositsModule, NoQueuesModule] },
  define(channel, { answer }) {
    defineSet(channel);

    channel
      .command('list')
      .description('List the channels to which merchants pay, in the order in which deposits use them.')
      .examples('channel list')
      .does(async (app) => {
        const channels = await app.get(ChannelsService).list();
        const { text } = list(channels.map(toLine), 'There are no channels: topup channel set adds one.');
        return { json: channels.map((each) => viewOf(app, each)), text };
      });

    channel
      .command('show')
      .description('Show a channel’s settings.')
      .argument('<code>', 'channel code')
      .examples('channel show kbank')
      .does(async (app, code: string) => record(viewOf(app, await app.get(ChannelsService).get(code))));

    channel
      .command('remove')
      .description('Remove a channel that no deposit and no statement needs.')
      .argument('<code>', 'channel code')
      .audited()
      .asksFirst()
      .examples('channel remove kbank')
      .does(async (app, code: string, { yes, ...by }: Actor & { yes?: boolean }) => {
        const channels = app.get(ChannelsService);
        await channels.get(code);
        await confirm(`Channel ${code} is removed.`, { yes });
        return record(toChannelView(await channels.remove(code, by)));
      });

    channel
      .command('adapters')
      .description('List the adapters of channels with their credentials and options.')
      .examples('channel adapters')
      .action(() => answer(adapters()));

    channel
      .command('test')
      .description('Check a channel’s settings without creating anything.')
      .argument('<code>', 'channel code')
      .examples('channel test kbank')
      .does(async (app, code: string) => tested(code, await app.get(ChannelsService).test(code)));

    channel
      .command('sync')
      .description('Read the vendor’s list of payments, and book payments that no callback reported.')
      .argument('<code>', 'channel code')
      .option('--since <moment>', 'read payments from this time on, in ISO 8601 (default: 3 days ago)', moment)
      .audited()
      .examples('channel sync opn', 'channel sync opn --since 2026-11-20')
      .does(async (app, code: string, { since, ...by }: Actor & { since?: Date }) => {
        const { takenBack: taken_back, ...counts } = await app.get(VendorListsService).sync(code, by, since);
        return record({ ...counts, taken_back });
      });
  },
};

function defineSet(channel: OperatorCommand): void {
  channel
    .command('set')
    .description('Add a channel or change its settings.')
    .requiredOption('--code <code>', 'channel code: small letters, digits, - and _; merchants may see it')
    .requiredOption('--adapter <adapter>', `one of ${CHANNEL_ADAPTER_NAMES.join(', ')}`, oneOf(CHANNEL_ADAPTER_NAMES))
    .option(
      '--base-url <url>',
      'base URL of the vendor’s API, or of promptpay’s slip service (default for a new channel: the real one)',
    )
    .option('--credential <name=value>', 'credential; may be repeated', repeated)
    .option('--remove-credential <name>', 'remove a credential; may be repeated', repeated)
    .option('--option <name=value>', 'setting of the adapter; may be repeated', repeated)
    .option('--remove-option <name>', 'remove a setting of the adapter; may be repeated', repeated)
    .option('--min <baht>', 'smallest deposit', baht)
    .option('--max <baht>', 'largest deposit', baht)
    .option('--priority <n>', 'deposits that name no channel use the channel with the lowest number', integer(0, 1_000))
    .option('--hold-above <baht>', 'payments above this amount wait for an operator (default: 200000.00)', baht)
    .option('--active', 'accept new deposits')
    .option('--inactive', 'accept no new deposits; payments are still booked')
    .option('--new-callback-url', 'make a new secret callback address; the current one stops working')
    .audited()
    .notes(SET_HELP)
    .asksFirst()
    .examples(
      'channel set --code kbank --adapter promptpay --option promptpay_id=0105551234567 --option account=004:0123456789',
      `channel set --code kbank --adapter promptpay --option "columns=date=Date;time=Time;text=Details;out=Withdrawal;in=Deposit;balance=Balance"`,
    )
    .does(async (app, given: SetGiven) => {
      const { credential, removeCredential, option, removeOption, active, inactive, ...others } = given;
      const { operator, reason, yes, ...settings } = others;
      if (active && inactive) throw new CommandError('choose one: --active or --inactive');
      const values = new NamedValues();
      const credentials = withRemoved(await values.readAll('--credential', credential), removeCredential);
      const options = withRemoved(await values.readAll('--option', option), removeOption);
      await confirmRemoval(`channel ${given.code}`, credentials, yes);
      const status = active ? 'active' : inactive ? 'inactive' : undefined;
      const by: Actor = { operator, ...(reason === undefined ? {} : { reason }) };
      const channels = app.get(ChannelsService);
      const channel = await channels.set({ ...settings, credentials, options, status }, by);
      const warnings = channels.checkSettings(channel).flatMap(({ ok, detail }) => (ok ? [] : [detail]));
      return { ...record(viewOf(app, channel)), warnings };
    });
}

const viewOf = (app: INestApplicationContext, channel: DepositChannel): View =>
  toChannelView(channel, app.get(ChannelsService).callbackUrlOf(channel));

function adapters(): Result {
  const known = CHANNEL_ADAPTERS.map(({ description }) => description);
  const json = known.map(({ baseUrl: base_url, ...description }) => ({ ...description, base_url }));
  const lines = known.flatMap(({ adapter, credentials, options }) => [
    ...credentials.map(({ name, help }) => ({ adapter, setting: `credential ${name}`, help })),
    ...options.map(({ name, help }) => ({ adapter, setting: `option ${name}`, help })),
  ]);
  return { json, text: list(lines, '').text };
}

function tested(code: string, checks: ChannelCheck[]): Result {
  const ok = checks.every((check) => check.ok);
  return { json: { code, ok, checks }, text: () => checksTable(checks), ok };
}

const COLUMNS = [
  'code',
  'adapter',
  'options',
  'min',
  'max',
  'priority',
  'hold_above',
  'status',
  'covered_until',
] as const;
const toLine = (channel: DepositChannel): Record<string, unknown> => pick(toChannelView(channel), ...COLUMNS);
