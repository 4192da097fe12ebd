import { ApiProperty } from '@nestjs/swagger';
import { ApiNullableText } from '../../core/http/answer.decorators.js';
import { Text } from '../../core/validation/member.decorators.js';

export class RevealDto {
  @Text(1, 500, { description: 'For the log', example: 'the buyer lost it: ticket 4711' }) reason!: string;
}

export class RevealedPieceDto {
  @ApiNullableText('TEST-8F3K-2Q9W-7MZR') code!: string | null;
  @ApiNullableText('SN-000017') serial!: string | null;
  @ApiNullableText('2027-01-31', 'A day; null where it does not expire, or that is not known')
  expires_on!: string | null;
}

export class RevealedDto {
  @ApiProperty({ example: '1.2' }) unit!: string;
  @ApiProperty({ type: [RevealedPieceDto], description: 'What was handed over for it' })
  pieces!: RevealedPieceDto[];
}
