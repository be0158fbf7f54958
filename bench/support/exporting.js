/** Exports a folder as the installed program does, and writes its seconds, megabytes and files as a line of JSON. */
import { resourceUsage } from 'node:process';
import { exportCatalogue } from '../../dist/index.js';

const [folder, to] = process.argv.slice(2);
const { written, removed, files } = await exportCatalogue({ folder, to, url: 'https://data.example.org' });
const { maxRSS, userCPUTime, systemCPUTime } = resourceUsage();
console.log(
  JSON.stringify({
    ...{ written, removed, files },
    seconds: process.uptime(),
    cpu: (userCPUTime + systemCPUTime) / 1e6,
    memory: maxRSS / 1024,
  }),
);
