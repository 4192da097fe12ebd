import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

const DESCRIPTION = `The API of the operator console’s pages. Every error has the body \`{ status, code, message, details? }\`, and every answer the header \`X-Request-Id\`. \`x-access\` of an operation is the permission that it needs; \`operator\` is every operator who is signed in. \`self\` also allows an operator who must still set up a second factor. \`half\` is every operator with a session, even before the code of the second factor. \`anyone\` needs no session.

Only pages of the console may send requests other than GET and HEAD: \`Sec-Fetch-Site: same-origin\`, or \`Origin\`.`;

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
    .addTag('Orders', 'Orders, and operators’ decisions about them')
    .addTag('Merchants', 'Merchants, their wallets and statements')
    .addTag('Approvals', 'Movements of money, and decisions about payments, that wait for a second operator')
    .addTag('Deposits', 'Deposits, incoming payments, and the channels that report them')
    .addTag('Products', 'Products, their prices, and imports of both')
    .addTag('Offers', 'The suppliers’ SKUs that can fulfil products')
    .addTag('Exchange rates', 'The values of suppliers’ currencies in baht')
    .addTag('Webhooks', 'Webhooks, their deliveries, and replays')
    .addTag('Jobs', 'Reports, audits and replays in the background')
    .addTag('Figures', 'Stats of the service, now and by the minute')
    .addTag('Suppliers', 'Suppliers, their state and their settings')
    .addTag('Review', 'Units that wait for an operator’s decision, and the search')
    .addTag('Operators', 'The accounts of all operators')
    .addTag('Log', 'The audit log: actions of operators')
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
