import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import { AppError, ChangedMeanwhile, UnknownResource } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import { pick } from '../core/members.js';
import { checkedBaht } from '../core/money.js';
import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
import { Database, type Transaction } from '../database/database.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { UNOPENED_ADDRESS } from '../suppliers/callback-addresses.service.js';
import { withoutTrailingSlashes } from '../core/urls.js';
import { assertSecretsStay, changed } from '../suppliers/supplier-settings.js';
import {
  areOfSameAccount,
  changeProblem,
  HAS_DEPOSITS,
  isSameAccount,
  isShared,
  replacementProblem,
} from './channel-accounts.js';
import {
  ChannelRegistry,
  type ChannelConnection,
  type ChannelCredentials,
  type ConnectedChannel,
  type ConnectedColumns,
} from './channel-registry.js';
import { changesProblem, detailOf, isPause, type ChannelChanges } from './channel-changes.js';
import { describeChannelAdapter } from './channels/adapters.js';
import type { ChannelCheck, ChannelSettings } from './channels/channel-adapter.js';
import { ChannelsRepository, NOT_PAUSED, type ChannelRow } from './channels.repository.js';
import type { DepositChannel } from './deposit-channel.entity.js';

const HOLD_ABOVE = checkedBaht('200000.00');
const NO_CREDENTIALS: ChannelCredentials = { credentials_sealed: null, credential_names: [] };

const NO_STATEMENTS = 'no statement can be imported, so no payment is booked: set the option columns';
const UNCONFIRMED =
  'no statement can be imported, so nothing confirms slips: above unconfirmed_limit they wait. Set the option columns';

const UNCONNECTED =
  'this process can’t read the settings of a channel, so it makes no deposits at it, makes no inquiries, and reads no slips and no ' +
  'list of it: start it with the SECRETS_KEY of the others, or correct the channel with topup channel set';

@Injectable()
export class ChannelsService {
  /** The channels that this process could not connect the last time, with the reasons. The log names each reason once. */
  private readonly unconnected = new Map<number, string>();

  constructor(
    private readonly database: Database,
    private readonly channels: ChannelsRepository,
    private readonly registry: ChannelRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @param code of the only channel to list; undefined for all. */
  list(code?: string): Promise<DepositChannel[]> {
    return this.channels.list(code);
  }

  sandbox(): Promise<DepositChannel> {
    return this.channels.getById(SANDBOX_CHANNEL_ID);
  }

  /** Where the vendor calls us; null if it does not. */
  callbackUrlOf(channel: DepositChannel): string | null {
    return this.registry.addresses.urlOf(channel);
  }

  /** @throws NOT_FOUND */
  async get(code: string): Promise<DepositChannel> {
    const channel = await this.channels.find(code);
    if (!channel) throw new UnknownResource('channel', code);
    return channel;
  }

  /** @throws NOT_FOUND; as {@link connect}. */
  async connectByCode(code: string): Promise<ConnectedChannel> {
    return this.connect(await this.get(code));
  }

  /** As {@link tryConnect}. */
  async tryConnectById(id: number): Promise<ConnectedChannel | null> {
    return this.tryConnect(await this.channels.getById(id));
  }

  /** @throws BAD_REQUEST if its settings are of another version of the adapter; Error if its credentials can't be opened. */
  connect(channel: DepositChannel): ConnectedChannel {
    return { channel, ...this.registry.connect(channel) };
  }

  /** @returns null where {@link connect} throws. Operators learn the reason from the log, because others must not see it. */
  tryConnect(channel: DepositChannel): ConnectedChannel | null {
    const { id, code } = channel;
    try {
      const connected = this.connect(channel);
      if (this.unconnected.delete(id))
        this.logger.info({ channel: code }, 'the settings of a channel can be read again');
      return connected;
    } catch (error) {
      const reason = (error as Error).message;
      if (this.unconnected.get(id) !== reason) this.logger.error({ channel: code, reason }, UNCONNECTED);
      this.unconnected.set(id, reason);
      return null;
    }
  }

  /** Checks a channel's settings without calling anybody. */
  checkSettings(channel: DepositChannel): ChannelCheck[] {
    try {
      return this.checkConnected(this.connect(channel));
    } catch (error) {
      return [{ name: 'settings', ok: false, detail: (error as Error).message }];
    }
  }

  /** Checks a channel's settings, also by calls that create nothing. @throws as {@link connectByCode}. */
  async test(code: string): Promise<ChannelCheck[]> {
    const connected = await this.connectByCode(code);
    return [...this.checkConnected(connected), ...((await connected.adapter.test?.(connected.settings)) ?? [])];
  }

  private checkConnected(connected: ConnectedChannel): ChannelCheck[] {
    const { channel } = connected;
    const isUnopened = channel.callback_token_sealed !== null && this.registry.addresses.tokenOf(channel) === null;
    const unopened = { name: 'callback_url', ok: false, detail: `its callback address ${UNOPENED_ADDRESS}` };
    return [...checkSettings(connected), ...(isUnopened ? [unopened] : [])];
  }

  /**
   * Adds a channel or changes its settings. A channel whose settings can't be read can be paused, and mended by new settings.
   * @param expected the time of the last change that the operator saw; null for a new channel.
   * @throws BAD_REQUEST; CONFLICT if deposits or statements depend on what changes; CONFLICT with CHANGED_MEANWHILE if
   * the channel has changed since `expected`; NOT_FOUND for a new channel without an adapter.
   */
  async set(changes: ChannelChanges, by: Actor, expected?: { updatedAt: Date | null }): Promise<DepositChannel> {
    return this.database.transaction(async (tx) => {
      const all = await this.channels.lockAll(tx);
      const before = all.find(({ code }) => code === changes.code);
      if (expected && before?.updated_at.getTime() !== expected.updatedAt?.getTime())
        throw new ChangedMeanwhile('the channel changed meanwhile', 'expected_updated_at');
      const channel =
        before && isPause(changes, before)
          ? await this.channels.pause(tx, before.id)
          : await this.channels.set(tx, await this.check(tx, changes, all, before));
      recordAction(tx, by, { action: 'channel.set', detail: detailOf(channel, changes) });
      return channel;
    });
  }

  /** @throws NOT_FOUND; CONFLICT while deposits, payments or statements refer to it. */
  async remove(code: string, by: Actor): Promise<DepositChannel> {
    return this.database.transaction(async (tx) => {
      const channel = (await this.channels.lockAll(tx)).find((each) => each.code === code);
      if (!channel) throw new UnknownResource('channel', code);
      const used = await this.channels.isUsed(tx, channel.id);
      if (used.deposits || used.statements) {
        throw new AppError('CONFLICT', `channel ${code} has deposits or statements: make it inactive instead`);
      }
      await this.channels.remove(tx, channel.id);
      recordAction(tx, by, { action: 'channel.remove', detail: { code, adapter: channel.adapter } });
      return channel;
    });
  }

  /** @returns the new row. @throws as {@link set}. */
  private async check(
    tx: Transaction,
    changes: ChannelChanges,
    all: DepositChannel[],
    before: DepositChannel | undefined,
  ): Promise<ChannelRow> {
    const { row, settings } = this.read(changes, before);
    if (row.min <= 0n || row.min > row.max)
      throw new AppError('BAD_REQUEST', 'min must be more than 0.00, and at most max');
    const stored = before && this.tryRead(before);
    const isSame = stored ? isSameAccount(stored, settings) : before && areOfSameAccount(before.options, row.options);
    const others = all.filter(({ code }) => code !== row.code);
    this.assertOnlyOfAccount(settings, others, !isSame);
    if (before) await this.assertMayChange(tx, before, stored ?? null, { row, settings });
    return row;
  }

  /** Reads stored settings option by option: the new settings, each time with the stored value of one option. */
  private readParts(before: DepositChannel, row: ChannelRow): ChannelSettings[] {
    const names = Object.keys({ ...row.options, ...before.options });
    return names.flatMap((name) => {
      const options = changed(row.options, { [name]: before.options[name] ?? null });
      return this.tryRead({ ...row, options }) ?? [];
    });
  }

  private tryRead(channel: ConnectedColumns): ChannelSettings | null {
    try {
      return this.registry.connect(channel).settings;
    } catch {
      return null;
    }
  }

  /** @throws CONFLICT */
  private async assertMayChange(
    tx: Transaction,
    before: DepositChannel,
    stored: ChannelSettings | null,
    { row, settings }: { row: ChannelRow; settings: ChannelSettings },
  ): Promise<void> {
    const { id, code, adapter, options } = before;
    const used = await this.channels.isUsed(tx, id);
    const isOther = adapter !== row.adapter && (used.deposits || used.statements);
    const { isLive } = settings;
    const unread = stored ? null : replacementProblem(options, { options: row.options, isLive }, used);
    const earlier = stored ? [stored] : this.readParts(before, row);
    const [problem = isOther ? HAS_DEPOSITS : unread] = earlier.flatMap(
      (each) => changeProblem(each, settings, used) ?? [],
    );
    if (problem !== null) throw new AppError('CONFLICT', `channel ${code} ${problem}`);
  }

  /** The new row, and the settings that its adapter reads from it. @throws BAD_REQUEST */
  private read(
    changes: ChannelChanges,
    before: DepositChannel | undefined,
  ): { row: ChannelRow; settings: ChannelSettings } {
    const { code, adapter = before?.adapter, options = {}, credentials = {} } = changes;
    if (adapter === undefined) throw new UnknownResource('channel', code);
    const description = describeChannelAdapter(adapter);
    const problem = changesProblem(changes, description);
    if (problem !== null) throw new AppError('BAD_REQUEST', problem);
    // Options and credentials of another adapter mean something else.
    const kept = before?.adapter === adapter ? before : undefined;
    const stored = pick(kept ?? NO_CREDENTIALS, 'credentials_sealed', 'credential_names');
    const base_url = changes.baseUrl
      ? withoutTrailingSlashes(changes.baseUrl)
      : (kept?.base_url ?? description.baseUrl);
    if (kept) assertSecretsStay(description, stored.credential_names, credentials, [kept.base_url, base_url]);
    const token = (!changes.newCallbackUrl && kept?.callback_token_sealed) || null;
    const callback_token_sealed = this.registry.callbackToken(code, adapter, token);
    if (changes.newCallbackUrl && !callback_token_sealed)
      throw new AppError('BAD_REQUEST', `the adapter ${adapter} takes no callbacks`);
    const sealed = this.registry.changeCredentials(code, stored, credentials);
    const connected = { code, adapter, base_url, ...sealed, options: changed(kept?.options ?? {}, options) };
    const { settings } = this.registry.connect(connected);
    const row: ChannelRow = {
      ...connected,
      min: changes.min ?? kept?.min ?? settings.min,
      max: changes.max ?? kept?.max ?? settings.max,
      priority: changes.priority ?? before?.priority ?? 100,
      hold_above: changes.holdAbove ?? before?.hold_above ?? HOLD_ABOVE,
      status: changes.status ?? before?.status ?? 'active',
      callback_token_sealed,
      // The new credentials may work. If not, the next call pauses the channel again.
      ...(Object.keys(credentials).length > 0 || !kept ? NOT_PAUSED : pick(kept, 'pause_reason', 'probe_at')),
    };
    return { row, settings };
  }

  /**
   * Two channels must never report the same payment. While the settings of another channel can't be read, this channel gets no
   * new account, because it might be the account of the other one. Other settings can still change. Keys that can't be opened do
   * not make the account new: otherwise two channels with such keys could never be mended.
   * @throws BAD_REQUEST
   */
  private assertOnlyOfAccount(settings: ChannelSettings, others: DepositChannel[], isNewAccount: boolean): void {
    const read = others.map((other) => ({ code: other.code, theirs: this.tryRead(other) }));
    const owner = read.find(({ theirs }) => theirs && isShared(settings, theirs));
    if (owner) throw new AppError('BAD_REQUEST', `channel ${owner.code} has this account already`);
    const unread = isNewAccount && read.find(({ theirs }) => theirs === null);
    if (!unread) return;
    const words = `the settings of channel ${unread.code} can't be read, and it may have this account`;
    throw new AppError('BAD_REQUEST', `${words}: set that channel first`);
  }
}

/** Checks settings without calling anybody. */
function checkSettings({ adapter, settings }: ChannelConnection): ChannelCheck[] {
  const complete = { name: 'settings', ok: true, detail: 'complete' };
  if (adapter.inquiry) return [complete];
  const ok = settings.statement !== null;
  const missing = settings.takesSlips ? UNCONFIRMED : NO_STATEMENTS;
  return [complete, { name: 'statement', ok, detail: ok ? 'columns are set' : missing }];
}
