const { readdirSync } = require('node:fs');
const path = require('node:path');

/** The import arrows between the folders of src: what each may import besides itself. */
const rows = {
  core: [],
  database: ['core'],
  queues: ['core', 'database'],
  'audit-log': ['core', 'database'],
  operators: [
    ...['core', 'database', 'audit-log', 'suppliers', 'unit-deliveries', 'supplier-callbacks', 'webhooks'],
  ],
  events: ['core', 'database', 'auth'],
  merchants: ['core', 'database', 'audit-log'],
  auth: ['core', 'database', 'queues', 'audit-log', 'merchants'],
  suppliers: ['core', 'database', 'audit-log'],
  'player-validators': ['core', 'suppliers'],
  catalog: ['core', 'database', 'audit-log', 'merchants', 'auth', 'suppliers', 'player-validators'],
  wallet: ['core', 'database', 'audit-log', 'merchants', 'auth', 'events'],
  approvals: ['core', 'database', 'audit-log', 'operators', 'merchants', 'wallet'],
  'unit-deliveries': ['core', 'database', 'suppliers'],
  orders: [
    ...['core', 'database', 'queues', 'merchants', 'auth', 'suppliers', 'catalog', 'events', 'wallet'],
    'unit-deliveries',
  ],
  players: [...['core', 'database', 'queues', 'auth', 'suppliers', 'catalog', 'orders', 'player-validators']],
  fulfilment: ['core', 'database', 'queues', 'orders', 'suppliers', 'catalog', 'unit-deliveries'],
  'supplier-purchases': ['core', 'database', 'suppliers', 'orders'],
  'supplier-callbacks': [
    ...['core', 'database', 'queues', 'auth', 'suppliers', 'catalog', 'orders', 'fulfilment'],
    ...['unit-deliveries', 'supplier-purchases'],
  ],
  webhooks: ['core', 'database', 'queues', 'audit-log', 'auth', 'events', 'unit-deliveries'],
  audit: ['core', 'database', 'audit-log'],
  archive: ['core', 'database', 'audit-log', 'audit', 'orders'],
  reports: ['core', 'database', 'merchants', 'orders', 'suppliers', 'supplier-purchases', 'wallet'],
  support: ['core', 'database', 'audit-log', 'suppliers', 'orders', 'wallet'],
  jobs: ['core', 'database', 'audit-log', 'operators'],
  partitions: ['core', 'database'],
  maintenance: ['core', 'database', 'queues'],
  health: ['core', 'database', 'auth'],
  figures: ['core', 'database', 'queues', 'suppliers', 'webhooks', 'fulfilment'],
  management: ['core', 'database', 'queues', 'health', 'figures'],
  'api-docs': ['core', 'auth', 'events', 'webhooks'],
  cli: [
    ...[
      'core',
      'database',
      'queues',
      'audit-log',
      'merchants',
      'auth',
      'suppliers',
      'player-validators',
      'catalog',
      'wallet',
      'orders',
    ],
    ...['webhooks', 'audit', 'archive', 'reports', 'support', 'supplier-purchases', 'operators'],
  ],
  console: [
    ...['core', 'database', 'queues', 'audit-log', 'operators', 'merchants', 'auth', 'suppliers', 'catalog'],
    ...['wallet', 'orders', 'events', 'webhooks', 'audit', 'reports', 'support', 'health', 'jobs', 'figures'],
    ...['unit-deliveries', 'supplier-purchases', 'approvals'],
  ],
};

/** What a folder without a row may import, such as one that was just generated: what every feature needs. */
const WITHOUT_ROW = ['core', 'database'];
const folders = readdirSync(path.join(__dirname, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

function arrowsOf(name) {
  const allowed = rows[name] ?? WITHOUT_ROW;
  return {
    name: `arrows-of-${name}`,
    comment:
      `src/${name} may import only ${['itself', ...allowed].join(', ')}: ` +
      `to allow more, ${name in rows ? 'change its' : 'add a'} row in .dependency-cruiser.cjs`,
    severity: 'error',
    from: { path: `^src/${name}/` },
    to: { path: '^src/.+/', pathNot: `^src/(${[name, ...allowed].join('|')})/` },
  };
}

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependencies-in-production',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      // Those of the workspaces are none of this package.
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'production-stands-alone',
      comment: 'src imports nothing of the tools, the tests and the benchmarks',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(console|tools|test|bench|scripts)/' },
    },
    {
      name: 'the-browser-stands-alone',
      comment: 'what runs in the browser knows the process by its API only',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: '^(src|tools|test|bench|scripts)/' },
    },
    {
      name: 'the-kit-knows-no-page',
      comment: 'other consoles may be built of it',
      severity: 'error',
      from: { path: '^console/src/kit/' },
      to: { path: '^console/src/(pages|shell)/' },
    },
    {
      name: 'simulators-share-no-code-with-the-service',
      comment: 'a simulator speaks the protocol from its own reading of it',
      severity: 'error',
      from: { path: '^tools/simulators/' },
      to: { path: '^src/' },
    },
    {
      name: 'simulators-share-no-code-with-each-other',
      comment: 'a simulator knows one vendor; what is none of a vendor is in common',
      severity: 'error',
      from: { path: '^tools/simulators/([^/]+)/' },
      to: { path: '^tools/simulators/', pathNot: '^tools/simulators/($1|common)/' },
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
    {
      name: 'the-sdk-stands-alone',
      comment: 'merchants install sdk by itself',
      severity: 'error',
      from: { path: '^sdk/' },
      to: { path: '^(src|tools|test|bench|scripts)/' },
    },
    {
      name: 'nobody-needs-the-sdk',
      comment: 'the image has no sdk',
      severity: 'error',
      from: { path: '^(src|tools)/' },
      to: { path: '^sdk/' },
    },
    {
      name: 'the-sdk-needs-no-package',
      severity: 'error',
      from: { path: '^sdk/typescript/src/' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'the-client-runs-without-node',
      comment: 'on Deno, Bun and the edge; only `listen` is a program of Node',
      severity: 'error',
      from: { path: '^sdk/typescript/src/', pathNot: '^sdk/typescript/src/listen/' },
      to: { dependencyTypes: ['core'] },
    },
    ...folders.map(arrowsOf),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    moduleSystems: ['es6'],
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
