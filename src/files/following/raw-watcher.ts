/** chokidar without its reading of folders. */
import { FSWatcher } from 'chokidar';

/**
 * Emits raw events and reads no folder. chokidar reads a folder again at each change in it: adding thousands of datasets
 * one by one would take time that grows with the square of their number. Its timers keep no process alive: `close()` of
 * chokidar forgets them without ending them, and a server that was closed would live on for up to a second.
 */
export class RawWatcher extends FSWatcher {
  override _readdirp(): undefined {
    return undefined;
  }

  override _throttle(...args: Parameters<FSWatcher['_throttle']>): ReturnType<FSWatcher['_throttle']> {
    const throttled = super._throttle(...args);
    if (throttled) throttled.timeoutObject.unref();
    return throttled;
  }
}
