/** A commander program that does nothing. */
import { Command } from 'commander';

new Command('bare').description('Nothing.').option('--data <dir>').command('list').parent?.parse();
