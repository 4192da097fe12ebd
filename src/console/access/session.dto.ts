import { ApiProperty } from '@nestjs/swagger';
import { meanings, Shown } from '../../core/http/answer.decorators.js';
import { Member, OneOf, Text, Timezone, type MemberOptions } from '../../core/validation/member.decorators.js';
import { LANGUAGES, type Language } from '../../operators/operator.entity.js';
import { PERMISSIONS, ROLES, type Permission, type Role } from '../../operators/roles.js';

/** Any text of up to 1,024 characters. The service decides which passwords it accepts. */
const Secret = (options: MemberOptions = {}): PropertyDecorator =>
  Member(
    { type: String, minLength: 1, maxLength: 1024 },
    (value) => {
      if (typeof value !== 'string') return { code: 'INVALID_TYPE', words: 'must be a string' };
      const fits = value.length >= 1 && value.length <= 1024 && value.isWellFormed();
      return fits ? null : { code: 'INVALID_VALUE', words: 'must have 1 to 1024 characters' };
    },
    options,
  );

const Code = (options: MemberOptions = {}): PropertyDecorator =>
  Text(1, 64, { ...options, description: 'Six digits of the app, or a recovery code', example: '123456' });

export class SignInDto {
  @Text(1, 128, { example: 'nok@example.com' }) email!: string;
  @Secret() password!: string;
}

export class CodeDto {
  @Code() code!: string;
}

/** The code or, without a second factor, the password. */
export class ConfirmDto {
  @Code({ optional: true }) code?: string;
  @Secret({ optional: true }) password?: string;
}

export class LinkDto {
  @Text(1, 128, { description: 'The part of the link after the number sign' }) token!: string;
}

export class SetUpDto extends LinkDto {
  @Secret({ description: '12 to 256 characters' }) password!: string;
}

export class ChangePasswordDto {
  @Secret({ description: 'The current password' }) password!: string;
  @Secret({ description: '12 to 256 characters' }) new_password!: string;
}

export class ChangeMeDto {
  @Text(1, 128, { optional: true }) name?: string;
  @OneOf(LANGUAGES, { optional: true }) language?: Language;
  @Timezone({ optional: true }) timezone?: string;
}

const STATES = {
  code_required:
    'the code of the second factor is missing: until it is sent, the operator can only see the session, send the code and sign out',
  second_factor_required:
    'an operator of this role must set up a second factor first; until then only `/api/me` and `/api/session` work',
  signed_in: 'all routes work that the permissions allow',
};
export type SessionState = keyof typeof STATES;

export class OperatorDto {
  @Shown.integer(3) id!: number;
  @Shown.text('nok@example.com') email!: string;
  @Shown.text('Nok') name!: string;
  @Shown.oneOf(ROLES, 'support') role!: Role;
  @Shown.nullableOneOf(LANGUAGES, 'th', 'Null until it is chosen') language!: Language | null;
  @Shown.text('Asia/Bangkok', 'The time zone that the operator chose, or the one of the console') timezone!: string;
}

/** The state of a sign-in, and the operator's permissions. */
export class SessionDto {
  @Shown.oneOf(Object.keys(STATES), 'signed_in', meanings('The state of the sign-in', STATES)) state!: SessionState;
  @ApiProperty({ type: OperatorDto, nullable: true, description: 'Null until the code was given' })
  operator!: OperatorDto | null;
  @ApiProperty({ enum: PERMISSIONS, isArray: true, example: ['orders.read'] }) permissions!: Permission[];
  @Shown.flag(true, 'Whether the operator has a second factor') second_factor!: boolean;
  @Shown.flag(true, 'False for an operator who only uses company sign-in') has_password!: boolean;
  @Shown.nullableMoment('Until when no action needs the code or password again') confirmed_until!: Date | null;
  @Shown.moment('When the session ends at the latest') expires_at!: Date;
  @Shown.integer(60, 'The session ends after this many minutes without a request by the operator')
  idle_minutes!: number;
  @Shown.text(
    '1000.00',
    'A resolution of a unit with a higher price, or of several units with a higher sum, needs confirmation',
  )
  confirm_above!: string;
  @Shown.nullableText(
    '50000.00',
    'Credits, debits and decisions about payments of more need a second operator’s approval; null if none do',
  )
  approval_above!: string | null;
}

export class SignedOutDto {
  @Shown.oneOf(['signed_out'], 'signed_out') state!: 'signed_out';
}

export class SetUpDoneDto {
  @Shown.text('nok@example.com', 'The address with which the operator signs in') email!: string;
}

export class MeDto extends OperatorDto {
  @Shown.flag(true) second_factor!: boolean;
  @Shown.integer(9, 'The number of recovery codes that are not used yet') recovery_codes!: number;
  @Shown.nullableMoment() last_sign_in_at!: Date | null;
  @Shown.moment() created_at!: Date;
}

export class SecondFactorOfferDto {
  @Shown.text('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', 'In base 32, to type into the app') secret!: string;
  @Shown.text('otpauth://totp/Order%20Top-up:nok@example.com?secret=…', 'To draw as a QR code') uri!: string;
}

export class RecoveryCodesDto {
  @ApiProperty({ type: [String], example: ['f3k9-q2wx-7mzr-hd4t'], description: 'Only this answer shows the codes' })
  recovery_codes!: string[];
}

export class OwnSessionDto {
  @Shown.integer(12) id!: number;
  @Shown.flag(true, 'Whether this is the session of the request') is_current!: boolean;
  @Shown.text('203.0.113.7') ip!: string;
  @Shown.nullableText('Mozilla/5.0 (X11; Linux x86_64)') user_agent!: string | null;
  @Shown.moment() created_at!: Date;
  @Shown.moment('The time of the operator’s last request, to half a minute') seen_at!: Date;
  @Shown.moment() expires_at!: Date;
}
