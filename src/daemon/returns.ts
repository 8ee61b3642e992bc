import {
  DocumentNumber,
  ErpNames,
  openDestination,
  openReader,
  ReturnLane,
  StreamMapper,
  type LaneStream,
} from "#returns";
import { ownText } from "#store";
import type { Closing } from "./closing.ts";
import type { Configuration, Systems } from "./systems/systems.ts";

/** The streams of the lane back, with everything that they need; empty if the sync file has none. `closing` closes their inboxes. */
export async function openLaneStreams(
  { syncFile }: Pick<Configuration, "syncFile">,
  { store, service, sources, clock }: Pick<Systems, "store" | "service" | "sources" | "clock">,
  closing: Closing,
): Promise<LaneStream[]> {
  if (syncFile.returns.length === 0) return [];
  const installation = await ownText(store, "installation", 6);
  const resources = new Map(syncFile.streams.map(({ name, resource }) => [name, resource]));
  const { backward } = service;
  const [read, several] = [backward.read.bind(backward), backward.several.bind(backward)];
  const names = new ErpNames({ store, clock, resources, read, several });
  return syncFile.returns.map((stream) => ({
    stream,
    reader: openReader({ store, service }, stream),
    mapper: new StreamMapper(stream, names),
    destination: closing.use(openDestination(stream, { sources: sources.sources, installation, clock })),
    consequence: stream.whenAccepted && new DocumentNumber({ service }, stream.whenAccepted),
  }));
}

/** The lane back to the ERP; it does nothing where the sync file has no returns. */
export async function openReturnLane(
  configuration: Configuration,
  systems: Systems,
  closing: Closing,
): Promise<ReturnLane> {
  const { settings, logger } = configuration;
  const { store, clock, service } = systems;
  const streams = await openLaneStreams(configuration, systems, closing);
  const { intervalMs: everyMs } = settings.polling;
  return new ReturnLane({ store, clock, logger, serviceNow: () => service.now(), everyMs }, streams);
}
