export const PLAYER_VERDICTS = ['valid', 'invalid', 'unknown'] as const;

/** The result of a player check. With `unknown` the player may or may not exist. */
export interface PlayerVerdict {
  verdict: (typeof PLAYER_VERDICTS)[number];
  /** The player's name in the game; null if it is unknown. */
  name: string | null;
}

export const UNKNOWN_PLAYER: PlayerVerdict = { verdict: 'unknown', name: null };
export const VALID_PLAYER: PlayerVerdict = { verdict: 'valid', name: null };
export const INVALID_PLAYER: PlayerVerdict = { verdict: 'invalid', name: null };

export interface PlayerQuery {
  /** The validator's code of the game. */
  game: string;
  userId: string;
  serverId: string | null;
}

/** Why a validator gave no verdict: a reason for the log, which never names the player. */
export interface NotReported {
  reason: string;
  /** How long to make no further calls to the validator. */
  restMs?: number;
}

/** A service that knows the players of games. It need not be a supplier. */
export interface PlayerValidator {
  /** Never rejects. */
  check(query: PlayerQuery): Promise<PlayerVerdict | NotReported>;
}

const VALIDATOR_NAMES = ['g2bulk'] as const;
export type ValidatorName = (typeof VALIDATOR_NAMES)[number];

/** The validator that checks the players of a product, with its code of the game. */
export interface PlayerCheck {
  validator: ValidatorName;
  game: string;
}

/** The form of the text that {@link readPlayerCheck} reads, in words. */
export const PLAYER_CHECK_WORDS = `a validator and its code of the game, such as g2bulk:mlbb (validators: ${VALIDATOR_NAMES.join(', ')})`;

/** Reads `<validator>:<game code>`, as products store it. @returns null for any other text. */
export function readPlayerCheck(text: string): PlayerCheck | null {
  const [, name, game] = /^([a-z0-9]+):([A-Za-z0-9_.-]{1,64})$/.exec(text) ?? [];
  const validator = VALIDATOR_NAMES.find((each) => each === name);
  return validator === undefined || game === undefined ? null : { validator, game };
}
