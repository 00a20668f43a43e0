export const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 3600;
export const KIB = 1024;
export const MIB = 1024 * KIB;
