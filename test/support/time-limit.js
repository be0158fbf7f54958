/** Ends a process of tests that something keeps alive: a run of all tests fails, with the file's name, and doesn't wait for ever. */
const minutes = 15;

// The process that starts those of the tests runs longer.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  const end = () => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`${process.argv[1]} has not ended after ${minutes} minutes. Still open: ${open || 'nothing'}.`);
    process.exit(1);
  };
  setTimeout(end, minutes * 60_000).unref();
}
