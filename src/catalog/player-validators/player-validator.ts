export const PLAYER_VERDICTS = ['valid', 'invalid', 'unknown'] as const;

/** What is known of a player. `unknown` says nothing: neither that there is such a player, nor that there is none. */
export interface PlayerVerdict {
  verdict: (typeof PLAYER_VERDICTS)[number];
  /** What the player is called in the game, where that was told. */
  name: string | null;
}

export const UNKNOWN_PLAYER: PlayerVerdict = { verdict: 'unknown', name: null };
export const VALID_PLAYER: PlayerVerdict = { verdict: 'valid', name: null };
export const INVALID_PLAYER: PlayerVerdict = { verdict: 'invalid', name: null };

export interface PlayerQuery {
  /** What the validator calls the game. */
  game: string;
  userId: string;
  serverId: string | null;
}

/** Why a validator told nothing: a word for the log, which never names the player. */
export interface NotReported {
  reason: string;
  /** For so long it is not to be asked again. */
  restMs?: number;
}

/** Somebody who knows the players of games, whoever sells the product. */
export interface PlayerValidator {
  /** Never rejects. */
  check(query: PlayerQuery): Promise<PlayerVerdict | NotReported>;
}
