import type { CallOptions, Transport } from '../transport.js';
import type { PlayerQuery, PlayerVerdict } from '../types.js';

export class Players {
  constructor(private readonly transport: Transport) {}

  /** Whether a player exists, where that can be known. `unknown` is no reason not to order. */
  check(player: PlayerQuery, options?: CallOptions): Promise<PlayerVerdict> {
    return this.transport.send(
      { method: 'POST', path: '/v1/players/check', body: player, isRepeatable: true },
      options,
    );
  }
}
