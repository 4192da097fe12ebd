import type { ChannelSettings } from './channels/channel-adapter.js';

const OTHER_CHANNEL = 'set another channel, and make this one inactive';
export const HAS_DEPOSITS = `has deposits or statements of its account: ${OTHER_CHANNEL}`;

type Account = Pick<ChannelSettings, 'account' | 'payeeId'>;

const isOf = (one: string | null, another: string | null): boolean => one !== null && one === another;

/** Whether two channels would have one account, so that both would report a payment. */
export const isShared = (one: Account, another: Account): boolean =>
  isOf(one.account, another.account) || isOf(one.payeeId, another.payeeId);

export const isSameAccount = (one: Account, another: Account): boolean =>
  one.account === another.account && one.payeeId === another.payeeId;

/**
 * The problem of a channel's new settings; null if there is none. Another account has other statements, and earlier QR codes
 * still lead to the earlier account. In the other mode, a simulated vendor would answer about real deposits, or a real one about
 * simulated deposits.
 * @param used whether the channel has deposits, or statements.
 */
export function changeProblem(
  earlier: ChannelSettings,
  settings: ChannelSettings,
  used: { deposits: boolean; statements: boolean },
): string | null {
  if (used.statements && knownBy(earlier) !== knownBy(settings)) {
    const words = `has imported statements with ${knownBy(earlier)}: keep to that, or lines would be booked again`;
    return `${words}. If the bank renamed that column, ${renamed(earlier)}`;
  }
  if (used.deposits && earlier.isLive !== settings.isLive) {
    const mode = earlier.isLive ? 'live keys' : 'keys of the test mode';
    return `has deposits of ${mode}, and these are of the other mode: ${OTHER_CHANNEL}`;
  }
  const isOther = earlier.recognizedBy !== settings.recognizedBy || earlier.payeeId !== settings.payeeId;
  const hasMoved = earlier.account !== null && earlier.account !== settings.account;
  return (used.deposits && isOther) || (used.statements && hasMoved) ? HAS_DEPOSITS : null;
}

/** The options that name the payee in QR codes. */
const OF_PAYEE = ['promptpay_id', 'biller_id'];
type Options = Record<string, string>;

/** As {@link isSameAccount}, of stored options that their adapter can't read. */
export const areOfSameAccount = (one: Options, another: Options): boolean =>
  [...OF_PAYEE, 'account'].every((name) => one[name] === another[name]);

/**
 * The problem of new settings in place of stored ones that can't be read; null if there is none. Such settings can be corrected,
 * but not moved to another account. Their keys may be live ones.
 */
export function replacementProblem(
  stored: Options,
  { options, isLive }: { options: Options; isLive: boolean },
  used: { deposits: boolean; statements: boolean },
): string | null {
  const isOther = OF_PAYEE.some((name) => stored[name] !== options[name]);
  const hasMoved = stored.account !== undefined && stored.account !== options.account;
  if ((used.deposits && isOther) || (used.statements && hasMoved)) return HAS_DEPOSITS;
  if (!used.deposits || isLive) return null;
  return `has deposits, and its stored keys can't be read: they may be live keys, and these are of the test mode: ${OTHER_CHANNEL}`;
}

/** How lines are identified: by their places in the chain of balances, or only by their references. */
const knownBy = ({ statement }: ChannelSettings): string =>
  statement?.columns.balance === undefined ? `reference=${statement?.columns.reference}, no balances` : 'balances';

/** What to do if the bank renamed the column that identifies lines. Another column of references might have other references. */
const renamed = ({ statement }: ChannelSettings): string =>
  statement?.columns.balance === undefined
    ? 'ask it for files with the earlier name'
    : 'give its new name in columns, as balance=NAME';
