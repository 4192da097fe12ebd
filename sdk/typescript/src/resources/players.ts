import type { CallOptions, Transport } from '../transport.js';
import type { PlayerQuery, PlayerVerdict } from '../types.js';

export class Players {
  constructor(private readonly transport: Transport) {}

  /** Checks whether a player exists. You may order even if the verdict is `unknown`. */
  check(player: PlayerQuery, options?: CallOptions): Promise<PlayerVerdict> {
    return this.transport.send(
      { method: 'POST', path: '/v1/players/check', body: player, isRepeatable: true },
      options,
    );
  }
}
