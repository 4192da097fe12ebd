import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

const DESCRIPTION = `What the pages of the operator console ask. Every error has the body \`{ status, code, message, details? }\`, and every answer the header \`X-Request-Id\`. \`x-access\` of an operation is the permission that it needs; \`operator\` is anybody who is signed in.

Requests other than GET and HEAD are taken from pages of the console only: \`Sec-Fetch-Site: same-origin\`, or \`Origin\`.`;

/** The OpenAPI document of the console, made from its controllers and DTOs. */
export function createConsoleOpenApi(app: INestApplication): OpenAPIObject {
  const options = new DocumentBuilder()
    .setTitle('Operator console')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setOpenAPIVersion('3.0.3')
    .addServer('/')
    .addTag('Session', 'Sign in and out')
    .addTag('Me', 'My account')
    .addTag('Orders', 'Orders, and what is done about them')
    .addTag('Merchants', 'Merchants, their wallets and statements')
    .addTag('Approvals', 'Movements of money that wait for a second person')
    .addTag('Products', 'Products, files of them, and their prices')
    .addTag('Offers', 'Where products are bought')
    .addTag('Exchange rates', 'What suppliers’ currencies are worth')
    .addTag('Webhooks', 'Webhooks, their deliveries, and replays')
    .addTag('Jobs', 'What is done in the background')
    .addTag('Figures', 'How the service does, now and by the minute')
    .addTag('Suppliers', 'Suppliers, how they do, and what is done about them')
    .addTag('Review', 'Units that wait for an operator, and the search')
    .addTag('Operators', 'The accounts of others')
    .addTag('Log', 'What operators did')
    .build();
  return SwaggerModule.createDocument(app, options, {
    operationIdFactory: (controller, method) => `${controller.replace(/^Console|Controller$/g, '')}_${method}`,
  });
}

/** Serves Swagger UI at /api/docs and the document at /api/docs-json. */
export function setUpConsoleSwagger(app: INestApplication): void {
  SwaggerModule.setup('api/docs', app, () => createConsoleOpenApi(app), {
    jsonDocumentUrl: 'api/docs-json',
    customSiteTitle: 'Operator console',
    swaggerOptions: { validatorUrl: 'none' },
  });
}
