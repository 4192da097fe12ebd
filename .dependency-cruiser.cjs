const { readdirSync } = require('node:fs');
const path = require('node:path');

/** The rooms of src, storey by storey from the ground up: a room may import those named before it, and no other. */
const STOREYS = {
  ground: ['core', 'database', 'queues', 'audit-log'],
  shop: ['merchants', 'auth', 'events', 'wallet', 'suppliers', 'catalog', 'orders', 'deposits'],
  delivery: ['fulfilment', 'webhooks'],
  operation: ['health', 'monitoring', 'operators', 'support', 'accounting', 'maintenance'],
  edges: ['api-docs', 'cli', 'console'],
};
const rooms = Object.values(STOREYS).flat();
const folders = readdirSync(path.join(__dirname, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** A folder that no storey names yet, such as one that was just generated, stands on the ground. An edge imports no edge. */
function roomsBelow(name) {
  if (STOREYS.edges.includes(name)) return rooms.filter((room) => !STOREYS.edges.includes(room));
  return rooms.includes(name) ? rooms.slice(0, rooms.indexOf(name)) : STOREYS.ground;
}

function arrowsOf(name) {
  const below = roomsBelow(name);
  return {
    name: `arrows-of-${name}`,
    comment:
      `src/${name} may import only ${['itself', ...below].join(', ')}: ` +
      'the order of the rooms is in .dependency-cruiser.cjs',
    severity: 'error',
    from: { path: `^src/${name}/` },
    to: { path: '^src/.+/', pathNot: `^src/(${[name, ...below].join('|')})/` },
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
      comment: 'the image has the sdk only packed',
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
