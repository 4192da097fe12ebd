import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentExchange, type Exchange } from './caller.js';
import { ConsoleRoute } from './console-route.decorator.js';
import {
  BeginCompanySignInDto,
  CompanyAnswerDto,
  CompanySessionDto,
  CompanySignInDto,
  SignInWaysDto,
} from './company-sign-in.dto.js';
import { CompanySignInService } from './company-sign-in.service.js';

@ApiTags('Session')
@Controller('api/session')
export class CompanySignInController {
  constructor(private readonly signIns: CompanySignInService) {}

  @Get('ways')
  @ConsoleRoute('anyone', 'How can people sign in besides address and password?', SignInWaysDto)
  ways(): SignInWaysDto {
    return this.signIns.ways();
  }

  @Post('company')
  @ConsoleRoute('anyone', 'Begin to sign in with the company’s account', CompanySignInDto, {
    description: '404 if company sign-in is not set up, 503 if the provider does not answer.',
  })
  begin(@CurrentExchange() exchange: Exchange, @Body() { next }: BeginCompanySignInDto): Promise<CompanySignInDto> {
    return this.signIns.begin(exchange, next);
  }

  @Post('company/answer')
  @ConsoleRoute('anyone', 'Sign in with the answer of the company’s provider', CompanySessionDto, {
    description:
      'Works once, within ten minutes, in the browser that began the sign-in. If the operator has a second factor, `state` is ' +
      '`code_required`, and the code must follow. A refusal is 403 with the reason in `details`.',
  })
  complete(@CurrentExchange() exchange: Exchange, @Body() { answer }: CompanyAnswerDto): Promise<CompanySessionDto> {
    return this.signIns.complete(exchange, answer);
  }
}
