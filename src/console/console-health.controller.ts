import { Controller, SetMetadata } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { HealthController } from '../health/health.controller.js';
import { ACCESS } from './access/console-route.decorator.js';

/** The API's health checks, open to anyone. */
@ApiExcludeController()
@SetMetadata(ACCESS, 'anyone')
@Controller()
export class ConsoleHealthController extends HealthController {}
