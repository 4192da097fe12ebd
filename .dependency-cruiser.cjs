/** The import arrows between the folders of src: what each may import besides itself. A new folder needs a row. */
const arrows = {
  core: [],
  database: ['core'],
  queues: ['core', 'database'],
  'audit-log': ['core', 'database'],
  events: ['core', 'database'],
  merchants: ['core', 'database', 'audit-log'],
  auth: ['core', 'database', 'audit-log', 'merchants'],
  suppliers: ['core', 'database', 'audit-log'],
  catalog: ['core', 'database', 'audit-log', 'merchants', 'auth', 'suppliers'],
  wallet: ['core', 'database', 'audit-log', 'merchants', 'auth', 'events'],
  orders: ['core', 'database', 'queues', 'merchants', 'auth', 'suppliers', 'catalog', 'events', 'wallet'],
  fulfilment: ['core', 'database', 'queues', 'orders', 'suppliers'],
  webhooks: ['core', 'database', 'queues', 'audit-log', 'auth', 'events'],
  audit: ['core', 'database'],
  reports: ['core', 'database', 'merchants', 'orders', 'suppliers', 'wallet'],
  support: ['core', 'database', 'audit-log', 'suppliers', 'orders', 'wallet'],
  maintenance: ['core', 'database', 'queues', 'audit-log', 'suppliers', 'fulfilment', 'webhooks'],
  health: ['core', 'database', 'auth'],
  management: ['core', 'database', 'queues', 'health', 'webhooks'],
  'api-docs': ['core', 'auth'],
  cli: [
    ...[
      'core',
      'database',
      'queues',
      'audit-log',
      'merchants',
      'auth',
      'suppliers',
      'catalog',
      'wallet',
      'orders',
    ],
    ...['webhooks', 'audit', 'reports', 'support', 'maintenance'],
  ],
};
const folders = Object.keys(arrows).join('|');

const between = Object.entries(arrows).map(([name, allowed]) => ({
  name: `arrows-of-${name}`,
  comment: `src/${name} may import only ${['itself', ...allowed].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: '^src/.+/', pathNot: `^src/(${[name, ...allowed].join('|')})/` },
}));

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependencies-in-production',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'no-unknown-folder',
      comment: 'a folder of src has a row in the table above, so that the arrows hold for it too',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: `^src/(${folders})/` },
      to: {},
    },
    {
      name: 'nobody-imports-an-unknown-folder',
      comment: 'a folder of src has a row in the table above, so that the arrows hold for it too',
      severity: 'error',
      from: {},
      to: { path: '^src/[^/]+/', pathNot: `^src/(${folders})/` },
    },
    {
      name: 'production-stands-alone',
      comment: 'src imports nothing of the tools, the tests and the benchmarks',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(tools|test|bench|scripts)/' },
    },
    {
      name: 'simulators-share-no-code-with-the-service',
      comment: 'a simulator speaks the protocol from its own reading of it',
      severity: 'error',
      from: { path: '^tools/simulators/' },
      to: { path: '^src/' },
    },
    {
      name: 'statements-are-a-repositorys',
      comment: 'a file of statements is imported by repositories, and by the functions that write to a log',
      severity: 'error',
      from: { path: '^src/', pathNot: '(\\.sql|\\.repository|-log)\\.ts$' },
      to: { path: '\\.sql\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-the-roots-compose',
      comment: 'files directly in src compose the folders; only cli.module.ts may be imported from them',
      severity: 'error',
      from: { path: '^src/.+/' },
      to: { path: '^src/[^/]+$', pathNot: '^src/cli\\.module\\.ts$' },
    },
    ...between,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    moduleSystems: ['es6'],
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
