"""`carom bench hubbard`: space-time bounds, sphere-trees and what time is left for them."""
