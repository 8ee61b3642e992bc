import { ParkError, type ResourceName, type ServiceId } from "#model";

/** The error of a write to a record that the service does not have. */
export function goneError(resource: ResourceName, id: ServiceId, cause?: unknown): ParkError {
  return new ParkError("E_RECORD_GONE", `the service no longer has ${resource} ${id}`, {
    cause,
    details: { resource, serviceId: id },
  });
}
