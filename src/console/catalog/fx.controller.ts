import { Body, Controller, Get, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { FxPreviewDto, FxQuestionDto, FxRatesDto, SetFxDto } from './fx.dto.js';
import { FxViewsService } from './fx-views.service.js';
import { Currency } from '../access/parameters.js';

@ApiTags('Exchange rates')
@Controller('api/fx')
export class ConsoleFxController {
  constructor(private readonly rates: FxViewsService) {}

  @Get()
  @ConsoleRoute('products.read', 'The present exchange rates, and the margins at these rates', FxRatesDto)
  list(@CurrentCaller() caller: Caller): Promise<FxRatesDto> {
    return this.rates.list(caller);
  }

  @Post(':currency/preview')
  @ConsoleRoute('fx.set', 'The effect of a rate on margins. Changes nothing', FxPreviewDto)
  preview(@Currency() currency: string, @Body() body: FxQuestionDto): Promise<FxPreviewDto> {
    return this.rates.preview(currency, body);
  }

  @Put(':currency')
  @ConsoleRoute('fx.set', 'Set an exchange rate from now on', FxRatesDto, {
    description: '409 if the present rate, or the products that would sell below cost, differ from the preview.',
  })
  set(@CurrentCaller() caller: Caller, @Currency() currency: string, @Body() body: SetFxDto): Promise<FxRatesDto> {
    return this.rates.set(caller, currency, body);
  }
}
