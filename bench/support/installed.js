/** The compiled program as it runs where it is installed: `bin/catalogue.js` in a checkout first looks for changed sources. */
import { processContext } from '../../dist/cli/context.js';
import { main } from '../../dist/cli/main.js';

process.exitCode = await main(process.argv.slice(2), processContext());
