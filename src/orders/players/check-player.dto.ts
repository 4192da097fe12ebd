import { ApiProperty } from '@nestjs/swagger';
import { meanings } from '../../core/http/answer.decorators.js';
import { Text } from '../../core/validation/member.decorators.js';
import { PLAYER_IDS } from '../order-requests.dto.js';
import { PLAYER_VERDICTS, type PlayerVerdict } from '../../catalog/player-validators/player-validator.js';

/** The body of POST /v1/players/check. The ids of the player are the same members as in an order. */
export class CheckPlayerDto {
  @Text(1, 64, { example: 'MLBB-86' })
  sku!: string;

  @Text(1, 128, { example: '123456789', description: PLAYER_IDS.user_id })
  user_id!: string;

  @Text(1, 128, { optional: true, example: '2001', nullable: true, description: PLAYER_IDS.server_id })
  server_id?: string | null;

  @Text(1, 128, { optional: true, nullable: true, example: null, description: PLAYER_IDS.character_id })
  character_id?: string | null;
}

const MEANINGS = {
  valid: 'exists',
  invalid: 'does not exist, or is not one of this product',
  unknown: 'could not be checked; an order may still succeed',
};

export class PlayerVerdictDto implements PlayerVerdict {
  @ApiProperty({ enum: PLAYER_VERDICTS, example: 'valid', description: meanings('The player', MEANINGS) })
  verdict!: PlayerVerdict['verdict'];

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Somchai',
    description: 'The player’s name in the game; null if it is not known',
  })
  name!: string | null;
}
