import { Body, Controller, Post } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../../auth/caller.js';
import { CurrentCaller } from '../../auth/api-key.guard.js';
import { ApiRoute } from '../../core/http/api-route.decorator.js';
import { CheckPlayerDto, PlayerVerdictDto } from './check-player.dto.js';
import { CHECKS_PER_SECOND, PlayersService } from './players.service.js';

@ApiTags('Players')
@ApiSecurity('api-key')
@Controller('v1/players')
export class PlayersController {
  constructor(private readonly players: PlayersService) {}

  @Post('check')
  @ApiRoute({
    summary: 'Check a player before you order',
    description:
      'Checks whether the player of a product exists, and returns its name. Nothing is charged, and no order depends on ' +
      `it. Verdicts are kept for 5 minutes. At most ${CHECKS_PER_SECOND} checks per second with one API key.`,
    body: {
      type: CheckPlayerDto,
      examples: { 'A player': { sku: 'MLBB-86', user_id: '123456789', server_id: '2001' } },
    },
    answer: { type: PlayerVerdictDto, description: 'The verdict' },
    errors: ['BAD_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  })
  check(@CurrentCaller() caller: Caller, @Body() body: CheckPlayerDto): Promise<PlayerVerdictDto> {
    return this.players.check(caller, body);
  }
}
