/** Runs once before all tests. What the tests need from the machine is installed or refused here. */
export default async function setup(): Promise<void> {}
