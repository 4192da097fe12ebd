/** Everybody who can be asked about players. */
export const VALIDATOR_NAMES = ['g2bulk'] as const;
export type ValidatorName = (typeof VALIDATOR_NAMES)[number];

/** Who is asked about the players of a product, and what they call its game. */
export interface PlayerCheck {
  validator: ValidatorName;
  game: string;
}

/** What the text must be, in words. */
export const PLAYER_CHECK_WORDS = `a validator and its code of the game, such as g2bulk:mlbb (validators: ${VALIDATOR_NAMES.join(', ')})`;

/** Reads `<validator>:<game code>`, as products keep it. @returns null for any other text. */
export function readPlayerCheck(text: string): PlayerCheck | null {
  const [, name, game] = /^([a-z0-9]+):([A-Za-z0-9_.-]{1,64})$/.exec(text) ?? [];
  const validator = VALIDATOR_NAMES.find((each) => each === name);
  return validator === undefined || game === undefined ? null : { validator, game };
}
