import 'reflect-metadata';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { Body, Controller, Injectable, Module, Post, ValidationPipe, type CanActivate } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import express from 'express';

// The layers that an order passes on its way through HTTP, one server for each, unchanged, and all with the same answer: `http` is Node's server, `express` adds routing and the body's parser, `nest` a controller behind a guard,
// `nest-validation` Nest's own ValidationPipe.

const ANSWER = {
  order_number: 'ord_Np3O7rcsqNmBTwD7',
  reference_id: 'shop-10001',
  user_id: 'player-1',
  server_id: null,
  character_id: null,
  status: 'pending',
  subtotal_amount: '35.00',
  discount_amount: '0.00',
  total_amount: '35.00',
  source_type: 'api',
  created_by: { id: 0, name: 'API' },
  created_at: '2026-01-15T08:30:00.123Z',
  updated_at: '2026-01-15T08:30:00.123Z',
  failure_code: null,
  failure_message: null,
  items: [
    {
      sku: 'BENCH-1',
      quantity: 1,
      completed_quantity: 0,
      failed_quantity: 0,
      status: 'pending',
      subtotal_amount: '35.00',
      discount_amount: '0.00',
      total_amount: '35.00',
      failure_code: null,
      failure_message: null,
    },
  ],
};

class ItemDto {
  @IsString() @Length(1, 64) sku!: string;
  @IsOptional() @IsInt() @Min(1) @Max(100) quantity?: number;
}

class OrderDto {
  @IsString() @Length(1, 128) reference_id!: string;
  @IsString() @Length(1, 128) user_id!: string;
  @Type(() => ItemDto) @ValidateNested({ each: true }) @ArrayMinSize(1) @ArrayMaxSize(50) items!: ItemDto[];
  @IsOptional() @IsString() @Length(1, 128) server_id?: string;
}

@Injectable()
class Guard implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

@Controller('v1/orders')
class Orders {
  @Post()
  create(@Body() _body: OrderDto): object {
    return ANSWER;
  }
}

@Module({ controllers: [Orders] })
class App {}

async function nest(validate: boolean): Promise<Server> {
  const app = await NestFactory.create(App, { logger: false });
  app.useGlobalGuards(new Guard());
  if (validate)
    app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
  await app.listen(0, '127.0.0.1');
  return app.getHttpServer() as Server;
}

function plain(): RequestListener {
  return (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      JSON.parse(text);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(ANSWER));
    });
  };
}

function withExpress(): RequestListener {
  const app = express().disable('x-powered-by').disable('etag');
  app.post('/v1/orders', express.json(), (_request, response) => void response.json(ANSWER));
  return app;
}

const listen = async (listener: RequestListener): Promise<Server> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

const LAYERS: Record<string, () => Promise<Server>> = {
  http: () => listen(plain()),
  express: () => listen(withExpress()),
  nest: () => nest(false),
  'nest-validation': () => nest(true),
};

const server = await LAYERS[process.env.LAYER ?? '']?.();
process.send?.({ port: ((server as Server).address() as AddressInfo).port });
process.on('disconnect', () => process.exit(0));
