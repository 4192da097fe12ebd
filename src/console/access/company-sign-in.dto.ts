import { Shown } from '../../core/http/answer.decorators.js';
import { textProblem } from '../../core/text.js';
import { Text, TextThat } from '../../core/validation/member.decorators.js';
import { SessionDto } from './session.dto.js';

export class SignInWaysDto {
  @Shown.flag(true, 'Whether people can sign in with their company’s account') company!: boolean;
  @Shown.nullableText('Acme', 'The name of the company’s sign-in; null if none is configured') company_name!:
    string | null;
}

export class BeginCompanySignInDto {
  @TextThat(
    (value) => (/^\/(?![/\\])/.test(value) ? textProblem(value, 1, 2048) : 'must be a path of the console'),
    {},
    { optional: true, example: '/orders', description: 'The page to open after the sign-in' },
  )
  next?: string;
}

export class CompanySignInDto {
  @Shown.text('https://login.example.com/authorize?client_id=console&…', 'The address at which the browser signs in')
  url!: string;
}

export class CompanyAnswerDto {
  @Text(1, 8192, {
    description: 'The query with which the company’s sign-in sent the browser back, without its question mark',
    example: 'code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj',
  })
  answer!: string;
}

export class CompanySessionDto extends SessionDto {
  @Shown.text('/orders', 'The page to open: the `next` with which the sign-in began') next!: string;
}
